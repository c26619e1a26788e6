import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSearchQuery } from "../../../src/mail/search/search-query.ts";
import {
  boundedText,
  foldText,
  MAX_INDEXED_CHARS,
  searchablePhrase,
  searchableText,
} from "../../../src/mail/search/search-text.ts";
import { cpuMs } from "../../cpu.ts";

/** Whether a message with this body is found, in the table the mailbox has. */
function finds(body: string, query: string): boolean {
  using db = new DatabaseSync(":memory:");
  db.exec(
    `CREATE VIRTUAL TABLE search USING fts5(subject, names, addresses, body, code, attachments, content='',
     contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='2 3')`,
  );
  db.prepare("INSERT INTO search(rowid, body) VALUES (1, ?)").run(searchableText(body));
  const { match } = parseSearchQuery(query);
  return (
    match !== null && db.prepare("SELECT rowid FROM search WHERE search MATCH ?").all(match).length === 1
  );
}

describe("searchableText", () => {
  it("leaves text of other scripts as it is", () => {
    const text = "Ihre Rechnung\n Nr. 4711 - für Ülkü, привет!";
    expect(searchableText(text)).toBe(text);
  });

  it.each([
    ["手机号码", " 手机 机号 号码 码 "],
    ["机", " 机 "],
    ["iPhone手机x", "iPhone 手机 机 x"],
    ["ラーメン。", " ラー ーメ メン ン  "],
    ["𠀀𠀁𠀂", " 𠀀𠀁 𠀁𠀂 𠀂 "],
    ["ﾊﾟｿｺﾝ", " パソ ソコ コン ン "],
    ["葛\u{E0100}城", " 葛城 城 "],
  ])("spreads %s out as bigrams and its last character", (text, spread) => {
    expect(searchableText(text)).toBe(spread);
  });

  it("takes symbols for spaces, as SQLite does with those it knows", () => {
    expect(searchableText("手机🫠 a–b")).toBe(" 手机 机   a b");
  });

  it("reads full-width letters and digits as plain ones", () => {
    expect(searchableText("Ｃｏｄｅ ４８２９１３")).toBe("Code 482913");
  });

  it("indexes up to the limit and nothing after it", () => {
    const filler = "x ".repeat(MAX_INDEXED_CHARS / 2 - 2);
    expect(searchableText(`${filler}last`)).toContain("last");
    expect(searchableText(`${filler}xxxxlast`)).not.toContain("last");
  });

  it("stays under 2 MB of UTF-8 for any text", () => {
    for (const character of ["手", "𠀀", "\uFDFA", "a", "한", "ﾊﾟ", "\u0301"]) {
      const stored = searchableText(character.repeat(2 * MAX_INDEXED_CHARS));
      expect(new TextEncoder().encode(stored).length).toBeLessThan(2_000_000);
    }
  });

  it.each([
    ["combining marks of two classes", "a" + "\u0301\u0316".repeat(500_000)],
    ["half-width voicing marks among others", "ﾊ" + "ﾞ\u0316".repeat(500_000)],
    ["one run of Han", "手".repeat(1_000_000)],
    ["alternating scripts", "a手".repeat(500_000)],
  ])("takes %s in linear time", (_, text) => {
    expect(cpuMs(() => searchableText(text))).toBeLessThan(2_000);
  });

  it("gives well-formed text for any string", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        (text) => {
          expect(searchableText(text).isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

describe("search over the text", () => {
  it.each([
    ["Chinese", "请输入您的手机验证码以登录", ["手机", "验证码", "您的", "码以登", "录", "请", "输"]],
    ["Japanese", "東京都庁でラーメンを食べました", ["京都", "ラーメン", "庁で", "ました", "東"]],
    ["Korean", "회의는 내일 오후에 시작합니다", ["회의", "내일", "시작", "회의는 내일", "오"]],
    ["characters beyond the BMP", "姓は𠮷野です", ["𠮷野", "𠮷", "は𠮷"]],
    [
      "mixed scripts",
      "新しいiPhone手机套 is here",
      ["iPhone", "手机", "iPhone手机", "しいiPhone", "手机套 here", "iphone手"],
    ],
    [
      "symbols newer than SQLite",
      "收到⻳手机🫠谢谢 ok🫠fine",
      ["手机", "手机🫠", "手机🫠谢谢", "ok🫠fine", "ok"],
    ],
    ["half-width kana", "ﾃﾚﾋﾞ を買う", ["テレビ", "ﾃﾚﾋﾞ"]],
  ])("finds %s by one or two characters and more", (_, body, queries) => {
    for (const query of queries) expect([query, finds(body, query)]).toEqual([query, true]);
  });

  it.each([
    ["手机号", "机手"],
    ["手机号", "手号"],
    ["手 机", "手机"],
    ["iPhone手机套", '"手机 here"'],
  ])("does not find in %s what is not there: %s", (body, query) => {
    expect(finds(body, query)).toBe(false);
  });

  it("finds every part of a CJK run", () => {
    const run = fc.array(fc.constantFrom("手", "机", "号", "𠀀", "カ", "한"), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(run, fc.nat(), fc.nat(), (characters, from, length) => {
        const start = from % characters.length;
        const part = characters.slice(start, start + 1 + (length % 4)).join("");
        expect(finds(`a${characters.join("")}b`, part)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("folds accents both ways", () => {
    expect(finds("Crème brûlée à la carte", "creme brulee")).toBe(true);
    expect(finds("Creme brulee", "crème")).toBe(true);
    expect(finds("cre\u0300me", "crème")).toBe(true);
    expect(finds("Việt Nam", "viet")).toBe(true);
  });

  it("finds by the stem of a word", () => {
    expect(finds("Your invoices are ready", "invoice")).toBe(true);
    expect(finds("We shipped it", "shipping")).toBe(true);
  });

  it("asks for a beginning only where the query ends in a star", () => {
    expect(finds("Your invoices are ready", "invo*")).toBe(true);
    expect(finds("Your invoices are ready", "invo")).toBe(false);
  });

  it("finds a word that a soft hyphen divides", () => {
    expect(finds("Rech\u00ADnung", "Rechnung")).toBe(true);
  });

  it("finds what stands after a NUL", () => {
    expect(finds("before\0after", "after")).toBe(true);
  });
});

describe("searchablePhrase", () => {
  it("asks a run at the end for its bigrams only, and one before other text to end there", () => {
    expect(searchablePhrase("手机")).toEqual({ text: "手机", prefix: false });
    expect(searchablePhrase("手机 x")).toEqual({ text: "手机 机 x", prefix: false });
    expect(searchablePhrase("x手")).toEqual({ text: "x 手", prefix: true });
  });
});

describe("foldText", () => {
  it("drops case, accents and what stands between words, and keeps the way back", () => {
    const { folded, origins } = foldText("É-- Noël");
    expect(folded).toBe("e noel");
    expect(origins).toEqual([0, 1, 4, 5, 6, 7]);
  });

  it("gives one origin for each unit, never falling and within the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { folded, origins } = foldText(text);
        expect(origins.length).toBe(folded.length);
        expect(origins).toEqual(origins.toSorted((a, b) => a - b));
        expect(origins.every((origin) => origin < text.length)).toBe(true);
      }),
    );
  });
});

describe("boundedText", () => {
  it("keeps eight marks in a row and drops the ninth", () => {
    expect(boundedText("a" + "\u0301".repeat(8), 100)).toHaveLength(9);
    expect(boundedText("a" + "\u0301".repeat(9), 100)).toHaveLength(9);
  });
});
