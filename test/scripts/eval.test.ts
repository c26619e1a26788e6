import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { encode } from "../../scripts/eval/charsets.ts";
import { CODES } from "../../scripts/eval/codes.ts";
import { compose } from "../../scripts/eval/compose.ts";
import { corpusOf, measure, precision, recall, total } from "../../scripts/eval/evaluation.ts";
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

  it("has each language with codes and decoys, and mails held out that are not among the others", () => {
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
