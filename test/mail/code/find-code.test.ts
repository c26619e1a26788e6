import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CODES, DECOYS, LINKS, MAILS } from "../../fixtures/codes/cases.ts";
import { findCode, NOTHING_FOUND, readCode, type FoundCode } from "../../../src/mail/code/find-code.ts";
import { HOSTILE, hostileText } from "../../../scripts/eval/hostile.ts";
import { htmlToText } from "../../../src/mail/text/html-text.ts";
import { runs } from "../../runs.ts";

const mail = (subject: string, text: string, html = "", fromAddress = "no-reply@acme.example") => ({
  subject,
  text,
  html,
  fromAddress,
});

const codeOf = (subject: string, text: string): string | null => findCode(mail(subject, text)).code;

describe("findCode: codes", () => {
  it.each(CODES)("finds the code (%s): %s / %s", (_kind, subject, text, code) => {
    expect(codeOf(subject, text)).toBe(code);
  });

  it("prefers the code that subject and text agree on", () => {
    expect(codeOf("482913 is your code", "Code: 5821\nYour login code is 482913")).toBe("482913");
  });

  it("does not choose between two codes for which as much speaks", () => {
    expect(codeOf("", "Your code is 482913\nYour code is 571946")).toBeNull();
  });
});

describe("findCode: what is no code", () => {
  it.each(DECOYS)("never takes %s: %s / %s", (_kind, subject, text) => {
    expect(codeOf(subject, text)).toBeNull();
  });

  it("does not read beyond the first 100,000 characters", () => {
    expect(codeOf("", `${"word ".repeat(20_000)}\nYour code is 482913`)).toBeNull();
    expect(codeOf("", `${"word ".repeat(19_000)}\nYour code is 482913`)).toBe("482913");
  });
});

describe("findCode: the plainest mails", () => {
  it.each([
    ["Your code", "Your code is 482913", "482913"],
    ["Hello", "Your code is 4829", "4829"],
    ["Login", "Code: 482913", "482913"],
    ["Tu código", "Tu código es 482913", "482913"],
    ["Votre code", "Votre code : 482913", "482913"],
    ["", "Use 482913 to sign in.", "482913"],
    ["Your verification code", "482913", "482913"],
  ])("are read: %s, %s", (subject, text, code) => {
    expect(findCode(mail(subject, text)).code).toBe(code);
  });
});

describe("findCode: links", () => {
  it("takes no link from a quoted older mail", () => {
    const link = "Verify your email (https://acme.example/verify/8f3kd93kf02kd93k)";
    expect(findCode(mail("Re: Verify your email", `Is this you?\n\n> ${link}`)).link).toBeNull();
    expect(
      findCode(mail("Re: Verify your email", `Hm\n-----Original Message-----\n${link}`)).link,
    ).toBeNull();
    const html =
      '<blockquote><a href="https://acme.example/verify/8f3kd93kf02kd93k">Verify your email</a></blockquote>';
    expect(findCode(mail("Re: Verify your email", "Is this you?", html)).link).toBeNull();
  });

  it.each(LINKS)("reads the link of %s / %s", (subject, text, html, link) => {
    expect(findCode(mail(subject, text, html)).link).toBe(link);
  });

  it("gives code and link of one mail", () => {
    const text =
      "Your login code is 482913\n\nOr use this link to sign in: https://acme.example/magic/8f3kd93kf02kd93k.";
    expect(findCode(mail("Your login code", text))).toMatchObject({
      code: "482913",
      link: "https://acme.example/magic/8f3kd93kf02kd93k",
    });
  });
});

describe("readCode", () => {
  it("gives no code when the reader throws, and version 0", () => {
    const fail = (): FoundCode => {
      throw new RangeError("a fault of the reader");
    };
    expect(readCode(mail("", "Your code is 482913"), fail)).toEqual({ ...NOTHING_FOUND, reader: 0 });
  });

  it("gives the version of the reader", () => {
    expect(readCode(mail("", "Hello")).reader).toBeGreaterThan(1);
  });
});

describe("findCode: whole mails", () => {
  it.each(MAILS)("reads a mail like that of %s", (_kind, parts, found) => {
    expect(findCode({ ...parts, html: "" })).toMatchObject(found);
  });
});

/** Digits of other scripts as ASCII, letters and digits only. */
function bare(text: string): string {
  const digits = text.replace(/\p{Nd}/gu, (digit) => {
    const unit = digit.codePointAt(0) ?? 0;
    const zero = [0xff10, 0x06f0, 0x0966, 0x0660].find((start) => unit >= start && unit <= start + 9);
    return zero === undefined ? digit : String(unit - zero);
  });
  return digits.normalize("NFKC").replace(/[^0-9A-Za-z]/g, "");
}

const word = fc.constantFrom(
  "code",
  "verification code",
  "验证码",
  "인증번호",
  "is",
  ":",
  "\n",
  "482913",
  "482 913",
  "G-482913",
  "XK4-9PL",

  "order",
  "2024",
  "#",
  "$",
  ">",
  "https://a.example/482913",
  "<a href='https://a.example/verify/1'>",
  "٤٨٢٩",
  "４８２９",

  "wrote:",
  "4",
  "8",
  "İ",
  "\u200b",
  "WDJB-MJHT",
  "(",
  ")",
  "-",
  ".",
  "*",
  "@acme.example #4829",
);
const prose = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(word, { maxLength: 40 }).map((words) => words.join(" ")),
  fc.array(word, { maxLength: 40 }).map((words) => words.join("")),
);

describe("findCode: any input", () => {
  it("never throws, and gives only codes that stand in subject or text and can be typed", () => {
    fc.assert(
      fc.property(prose, prose, prose, (subject, text, html) => {
        const { code, link } = findCode({ subject, text, html, fromAddress: subject });
        expect(link === null || /^https?:\/\//i.test(link)).toBe(true);
        if (code === null) return;
        expect(code).toMatch(/^[0-9]{4,10}$|^[A-Z0-9-]{4,12}$/i);
        expect(`${bare(subject)} ${bare(text)} ${bare(htmlToText(html))}`).toContain(bare(code));
      }),
      { numRuns: runs(2_000) },
    );
  });

  it("finds any six digits after a key word, however they are grouped", () => {
    const digits = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(digits, fc.constantFrom("", " ", "-", "\u00a0"), (code, gap) => {
        expect(codeOf("", `Your verification code is ${code.slice(0, 3)}${gap}${code.slice(3)}`)).toBe(code);
      }),
    );
  });

  it.each(HOSTILE.map((unit) => [JSON.stringify(unit), unit]))(
    "reads a megabyte of %s to the end",
    (_shown, unit) => {
      const text = hostileText(unit, 1_000_000);
      const found = findCode({ subject: text, text, html: text, fromAddress: text });
      expect(found.code === null || /^[0-9]{4,10}$|^[0-9A-Z]{4,10}$/.test(found.code)).toBe(true);
    },
  );

  /** Below, a measurement says nothing. */
  const NOISE_MS = 4;

  /** CPU time in ms that reading so many characters takes, the least of several tries: the machine has other work too. */
  const costOf = (unit: string, characters: number): number => {
    const text = hostileText(unit, characters);
    const tries = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      findCode({ subject: text, text, html: text, fromAddress: text });
      return process.cpuUsage(before).user / 1_000;
    });
    return Math.min(...tries);
  };

  it.each(HOSTILE.map((unit) => [JSON.stringify(unit), unit]))(
    "grows with the length of %s and not with its square",
    (_shown, unit) => {
      // Below the limits at which texts are cut. Four times the text is sixteen times the work of a quadratic reader.
      const [one, four] = [costOf(unit, 22_000), costOf(unit, 88_000)];
      expect(four).toBeLessThan(10 * Math.max(one, NOISE_MS));
    },
  );
});
