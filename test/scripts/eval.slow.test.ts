import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../../scripts/eval/charsets.ts";
import { CODES } from "../../scripts/eval/codes.ts";
import { compose } from "../../scripts/eval/compose.ts";
import { corpusOf, measure, precision, recall, strangersOf, total } from "../../scripts/eval/evaluation.ts";
import { EXTRACTION } from "../../scripts/eval/extraction.ts";
import { fitWeights, judge, type Example } from "../../scripts/eval/fit.ts";
import { readFixtures, type Fixture } from "../../scripts/eval/fixtures.ts";
import { shortfalls } from "../../scripts/eval/report.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";

/** A folder with one file of fixtures. */
function folderOf(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "fixtures-"));
  writeFileSync(path.join(folder, "de.txt"), text);
  return folder;
}

const MAIL = `=== de/eins: both:cells iso-8859-1 quoted-printable
From: Käse <post@kaese.example>
Subject: Grüße
Code: 4829

Ihr Code für die Tür:

[[4829]]
`;

describe("charsets", () => {
  it.each([
    ["iso-8859-1", "Grüße"],
    ["iso-8859-2", "Żółć"],
    ["windows-1251", "Привет"],
    ["koi8-r", "Привет"],
    ["gb18030", "您的验证码"],
    ["big5", "您的驗證碼"],
    ["shift_jis", "認証コード"],
    ["iso-2022-jp", "コードは 482913 です"],
    ["euc-kr", "인증번호"],
  ])("writes %s as a decoder reads it", (charset, text) => {
    expect(new TextDecoder(charset).decode(encode(text, charset))).toBe(text);
  });

  it("refuses a character that the charset lacks", () => {
    expect(() => encode("验", "iso-8859-1")).toThrow("iso-8859-1 has no 验");
  });
});

describe("fixtures", () => {
  it("become messages that say what the fixture says, in charset and encoding of their own", async () => {
    const [fixture] = readFixtures(folderOf(MAIL), ["code"]);
    const raw = compose(fixture as Fixture);
    expect(Buffer.from(raw).toString("latin1")).toContain("f=FCr die T=FCr");
    const mail = await parseMail(raw);
    expect([mail.subject, mail.from.name, mail.faults]).toEqual(["Grüße", "Käse", []]);
    expect(mail.text).toContain("Ihr Code für die Tür:\n\n4829");
    expect(mail.html).toContain('font-size:24px">4</td>');
  });

  it("are refused where two have one text but for numbers", () => {
    const twice = MAIL + MAIL.replace("de/eins", "de/zwei").replace("[[4829]]", "[[5511]]");
    expect(() => readFixtures(folderOf(twice), ["code"])).toThrow("de/zwei is there twice");
  });
});

describe("measuring", () => {
  const [fixture] = readFixtures(folderOf(MAIL), ["code"]);
  const measured = (code: string | null) =>
    measure({ ...CODES, fields: ["code"], read: () => Promise.resolve({ code }) }, [fixture as Fixture]);

  it("counts a wrong value against precision and recall, and none against recall alone", async () => {
    const shares = async (code: string | null) => {
      const tally = total((await measured(code)).tallies.get("code")?.values() ?? []);
      return [precision(tally), recall(tally)];
    };
    expect(await shares("4829")).toEqual([1, 1]);
    expect(await shares("1111")).toEqual([0, 0]);
    expect(await shares(null)).toEqual([1, 0]);
  });

  it("names what is below its floor", async () => {
    expect(shortfalls(CODES, await measured("4829"))).toEqual([]);
    expect(shortfalls(CODES, await measured(null))).toEqual(["codes, code: precision 100.0 %, recall 0.0 %"]);
  });
});

describe("the corpus of codes", () => {
  const { developed, heldOut } = corpusOf(CODES);

  it("has each of its languages with codes and decoys, and mails held out that are not among the others", () => {
    const languages = new Set(developed.map(({ language }) => language));
    for (const language of languages) {
      const own = developed.filter((mail) => mail.language === language);
      expect(own.filter(({ expected }) => expected.code !== undefined).length).toBeGreaterThanOrEqual(9);
      expect(own.filter(({ expected }) => expected.code === undefined).length).toBeGreaterThanOrEqual(5);
      expect(heldOut.some((mail) => mail.language === language)).toBe(true);
    }
    const ids = new Set(developed.map(({ id }) => id));
    expect(heldOut.filter(({ id }) => ids.has(id))).toEqual([]);
  });

  it("is read to its floors", async () => {
    expect(shortfalls(CODES, await measure(CODES, developed))).toEqual([]);
  });
});

describe.each([CODES, EXTRACTION].map((evaluation) => [evaluation.name, evaluation] as const))(
  "the mails of strangers, %s",
  (_, evaluation) => {
    it.each(["open", "sealed"] as const)(
      "are read to their floors: %s half",
      async (half) => {
        const result = await measure(evaluation, strangersOf(evaluation, half));
        expect(shortfalls({ ...evaluation, floors: evaluation.strangersFloors }, result)).toEqual([]);
      },
      60_000,
    );
  },
);

describe("the mails of strangers", () => {
  const open = strangersOf(CODES, "open");
  const sealed = strangersOf(CODES, "sealed");

  it("are 1,200 at least in 45 languages, twenty of each, a third of them decoys", () => {
    const all = [...open, ...sealed];
    expect(all.length).toBeGreaterThanOrEqual(1_200);
    const byLanguage = Map.groupBy(all, ({ language }) => language);
    expect(byLanguage.size).toBe(45);
    for (const mails of byLanguage.values()) expect(mails.length).toBeGreaterThanOrEqual(20);
    const decoys = all.filter(({ expected }) => Object.keys(expected).length === 0);
    expect(decoys.length).toBeGreaterThanOrEqual(all.length / 3);
  });

  it("are in one half each", () => {
    const ids = new Set(open.map(({ id }) => id));
    expect(sealed.filter(({ id }) => ids.has(id))).toEqual([]);
  });
});

describe("finding weights", () => {
  const of = (...features: string[]) => features.map((feature) => ({ feature, detail: "", amount: 1 }));
  const lesson = (candidates: Example["candidates"], right: number) => ({ id: "", candidates, right });

  it("gives what right candidates have more weight than what others have, and nothing to what says nothing", () => {
    const lessons = Array.from({ length: 20 }, () => [
      lesson([of("named", "length.6"), of("against.town", "length.6")], 0),
      lesson([of("against.town", "length.6")], -1),
    ]).flat();
    const weights = fitWeights(lessons, ["named", "against.town", "length.6", "boxes"]);
    expect(weights.named).toBeGreaterThan(1);
    expect(weights["against.town"]).toBeLessThan(-1);
    expect(weights.boxes).toBe(0);
  });

  it("gives probabilities that are true: of candidates that are right in one mail of four, a quarter", () => {
    const lessons = Array.from({ length: 400 }, (_, at) => lesson([of("length.6")], at % 4 === 0 ? 0 : -1));
    const weights = fitWeights(lessons, ["length.6"]);
    expect(judge(lesson([of("length.6")], 0), weights).probability).toBeCloseTo(0.25, 1);
  });

  it("never lets what speaks for a candidate count against it", () => {
    const lessons = Array.from({ length: 50 }, () => lesson([of("named")], -1));
    expect(fitWeights(lessons, ["named"])).toEqual({ named: 0 });
  });

  it("refuses evidence that has no weight listed, by its name", () => {
    expect(() => fitWeights([lesson([of("new_sign")], 0)], ["named"])).toThrow(/new_sign/);
  });
});
