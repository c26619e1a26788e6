import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readResultsField } from "../../../../src/mail/authentication/reports/results-field.ts";

const ID = "mx.mailkeep.example";
const methods = (...[fields, id]: Parameters<typeof readResultsField>) => {
  const results = readResultsField(fields, id);
  return results && { spf: results.spf, dkim: results.dkim, dmarc: results.dmarc };
};
const read = (...headers: string[]) => methods(headers, ID);
const NONE = { spf: "none", dkim: "none", dmarc: "none" };
const PASS = { spf: "pass", dkim: "pass", dmarc: "pass" };

describe("readResultsField: which header is trusted", () => {
  it("is null without a trusted id", () => {
    expect(methods([`${ID}; spf=pass`], null)).toBeNull();
    expect(methods(["; spf=pass"], "")).toBeNull();
    expect(methods(["; spf=pass"], " ")).toBeNull();
  });

  it("is null when no header carries the trusted id", () => {
    expect(read()).toBeNull();
    expect(read("evil.example; spf=pass; dkim=pass; dmarc=pass")).toBeNull();
  });

  it("believes only the topmost header with the trusted id", () => {
    expect(read(`${ID}; spf=fail`, `${ID}; spf=pass; dkim=pass; dmarc=pass`)).toEqual({
      ...NONE,
      spf: "fail",
    });
    expect(read("other.example; spf=pass", `${ID}; dkim=pass`)).toEqual({ ...NONE, dkim: "pass" });
  });

  it("compares the id without regard to ASCII case, and to nothing else", () => {
    expect(read("MX.Mailkeep.EXAMPLE; spf=pass")).toEqual({ ...NONE, spf: "pass" });
    expect(read("mx.mail\u212aeep.example; spf=pass")).toBeNull();
    expect(read(`${ID}.evil.example; spf=pass`)).toBeNull();
    expect(read(`evil.${ID}; spf=pass`)).toBeNull();
  });

  it.each([
    `(${ID}) evil.example; spf=pass`,
    `(${ID}; spf=pass) evil.example; dkim=pass`,
    `evil.example (${ID}); spf=pass`,
    `evil.example ${ID}; spf=pass`,
    `evil.example; ${ID}; spf=pass`,
    `"evil.example; ${ID}"; spf=pass`,
    `"evil\\";${ID}"; spf=pass`,
    `evil.example\n${ID}; spf=pass`,
    `evil.example\r\n ${ID}; spf=pass`,
    `; ${ID}; spf=pass`,
    `${ID}=x; spf=pass`,
    `${ID} evil; spf=pass`,
    `(${ID}; spf=pass`,
    `"${ID}; spf=pass`,
  ])("does not believe %j", (header) => {
    expect(read(header)).toBeNull();
  });

  it("accepts a quoted id, comments around it and a version", () => {
    expect(read(`"${ID}"; spf=pass`)).toEqual({ ...NONE, spf: "pass" });
    expect(read(` (ours (truly)) ${ID} (v) 1 ; spf=pass`)).toEqual({ ...NONE, spf: "pass" });
  });

  it("reads nothing from a version it does not know", () => {
    expect(read(`${ID} 2; spf=pass`, `${ID}; spf=pass`)).toEqual(NONE);
  });

  it.each([
    `${ID}; spf=fail (open; dkim=pass`,
    `${ID}; spf=fail smtp.mailfrom="open; dkim=pass`,
    `${ID}; spf=fail\nX: y; dkim=pass`,
    `${ID}; spf=fail\0; dkim=pass`,
    `${ID}; ${"x".repeat(70_000)}`,
  ])("gives no verdict when the topmost trusted header is damaged, and reads none below it", (damaged) => {
    expect(read(damaged, `${ID}; spf=pass; dkim=pass; dmarc=pass`)).toEqual(NONE);
  });
});

describe("readResultsField: verdicts", () => {
  it.each(["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror", "policy"])(
    "reads %s",
    (word) => {
      expect(read(`${ID}; spf=${word}; dkim=${word.toUpperCase()}; dmarc = ${word}`)).toEqual({
        spf: word,
        dkim: word,
        dmarc: word,
      });
    },
  );

  it("reads a header as a large provider writes it", () => {
    const header =
      `${ID};\r\n\tdkim=pass header.i=@acme.example header.s=s1 header.b="abc/d=f";\r\n` +
      `\tspf=pass (mx: domain of a@acme.example designates 192.0.2.1 as permitted sender) smtp.mailfrom=a@acme.example;\r\n` +
      `\tdmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=acme.example`;
    expect(read(header)).toEqual(PASS);
    expect(read(header.replaceAll("\r\n", "\n"))).toEqual(PASS);
  });

  it("gives none for `none`, for no results and for methods that are absent", () => {
    expect(read(`${ID}; none`)).toEqual(NONE);
    expect(read(ID)).toEqual(NONE);
    expect(read(`${ID}; dmarc=pass;`)).toEqual({ ...NONE, dmarc: "pass" });
  });

  it("ignores unknown methods, unknown results and unknown method versions", () => {
    expect(read(`${ID}; arc=pass; iprev=pass; x-spf=pass; spf=splendid; dkim/2=pass; dmarc/1=pass`)).toEqual({
      ...NONE,
      dmarc: "pass",
    });
    expect(read(`${ID}; spf=hardfail`)).toEqual({ ...NONE, spf: "fail" });
  });

  it("passes DKIM if any signature passes", () => {
    expect(read(`${ID}; dkim=fail header.d=a.example; dkim=pass header.d=b.example`)).toEqual({
      ...NONE,
      dkim: "pass",
    });
    expect(read(`${ID}; dkim=fail; dkim=none`)).toEqual({ ...NONE, dkim: "none" });
  });

  it("takes the worst of several SPF or DMARC results", () => {
    expect(read(`${ID}; spf=pass smtp.helo=a; spf=fail smtp.mailfrom=b; dmarc=pass; dmarc=fail`)).toEqual({
      ...NONE,
      spf: "fail",
      dmarc: "fail",
    });
  });

  it.each([
    `${ID}; spf=fail (x; dkim=pass; dmarc=pass)`,
    `${ID}; spf=fail (a \\) (b); dkim=pass) c`,
    `${ID}; spf=fail smtp.mailfrom="a; dkim=pass"@evil.example`,
    `${ID}; spf=fail smtp.mailfrom="a\\"; dkim=pass"@evil.example`,
    `${ID}; spf=fail reason="x; dmarc=pass"`,
    `${ID}; spf=fail dkim=pass dmarc=pass`,
    `${ID}; spf=fail; "dkim"=pass; dmarc="pass"`,
    `${ID}; spf=fail; dkim=pass=x; dmarc=pass/1`,
    `${ID}; spf=fail; x dkim=pass`,
    `${ID}; spf=fail; dkim=(pass)none; dmarc=pass)`,
  ])("is not tricked by %j", (header) => {
    expect(read(header)).toEqual({ ...NONE, spf: "fail" });
  });
});

describe("readResultsField: any input", () => {
  it("never throws and never trusts another id", () => {
    const piece = fc.constantFrom(
      ID,
      "evil.example",
      ";",
      "=",
      "(",
      ")",
      '"',
      "\\",
      "spf",
      "dkim=pass",
      " ",
      "\n",
      "\r\n ",
      "1",
      "/",
    );
    const value = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (values) => {
        methods(values, ID);
        expect(
          methods(
            values.map((text) => `evil.example; ${text}`),
            ID,
          ),
        ).toBeNull();
        expect(methods([`${ID}; spf=fail`, ...values], ID)).toEqual({ ...NONE, spf: "fail" });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["(", '"', ";", "\\", "=", "a", "()", "spf=pass;", "\r\n ", " "])(
    "reads a megabyte of %j to the end",
    (unit) => {
      const value = unit.repeat(1_000_000 / unit.length);
      expect(methods([`evil.example${value}`, value], ID)).toBeNull();
      expect(read(`${ID};${value}`)).toEqual(NONE);
    },
  );
});
