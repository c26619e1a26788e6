import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bodyTextStart,
  excerptJson,
  excerptsFor,
  highlightsFor,
  shown,
  snippetFor,
} from "../../../src/mail/search/excerpts.ts";

describe("bodyTextStart", () => {
  it("gives a whole text back however it is escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(bodyTextStart(JSON.stringify({ body_text: text, body_html: '"' }))).toBe(
          text.toWellFormed() === text ? text : text,
        );
      }),
    );
  });

  it("gives the beginning of a text that is cut anywhere, in an escape too", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", '"', "\\", "\n", "\u0001", "é", "u00"), { maxLength: 30 }),
        fc.nat(80),
        (parts, cut) => {
          const text = parts.join("");
          const stored = JSON.stringify({ body_text: text, body_html: "" });
          const start = bodyTextStart(stored.slice(0, 14 + cut));
          expect(start !== null && text.startsWith(start)).toBe(true);
        },
      ),
    );
  });

  it("is null for anything that is no stored body", () => {
    expect(bodyTextStart('{"other":"x"}')).toBeNull();
  });
});

describe("excerptsFor", () => {
  it("shows the hit of a word in plain ASCII as in accented text", () => {
    const filler = "some words that say nothing ".repeat(20);
    for (const body of [`${filler}the Needle, found ${filler}`, `${filler}thé Nèedle, found ${filler}`]) {
      const { snippet, highlights } = excerptsFor({ subject: "Nothing", body }, ["needle"]);
      expect([shown(snippet).includes("found"), highlights.length]).toEqual([true, 1]);
    }
  });

  it("shows of plain ASCII what it shows of the same text in a script of its own", () => {
    // Each word, and each letter of another script that stands for it, has one character for one.
    const cyrillic = (text: string): string =>
      text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x61 + 0x430));
    const word = fc.constantFrom("hit", "hits", "white", "of", "a", "unhit", "h", "x".repeat(60));
    const blank = fc.constantFrom(
      " ",
      " ",
      " ",
      "  ",
      "\r\n",
      "\t \u0001",
      "\u007f",
      ", ",
      `${" ".repeat(300)}`,
      "",
    );
    const parts = fc.array(fc.tuple(word, blank), { maxLength: 150 });
    fc.assert(
      fc.property(blank, parts, fc.integer({ min: 10, max: 200 }), (start, pairs, maxChars) => {
        const text = start + pairs.flat().join("");
        expect(cyrillic(snippetFor(text, ["hit"], maxChars))).toBe(
          snippetFor(cyrillic(text), [cyrillic("hit")], maxChars),
        );
        const fields = { subject: "a hit", body: text };
        const others = { subject: cyrillic("a hit"), body: cyrillic(text) };
        expect(highlightsFor(fields, ["hit"]).map(cyrillic)).toEqual(
          highlightsFor(others, [cyrillic("hit")]),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("cuts a text of words and blanks that are as long as what it shows", () => {
    for (let blanks = 1; blanks < 400; blanks += 1) {
      for (const words of [31, 32]) {
        const text = `${"word ".repeat(words)}${" ".repeat(blanks)}end`;
        const snippet = `${"word ".repeat(words)}end`;
        const cut = `${"word ".repeat(30)}word…`;
        expect(snippetFor(text, ["absent"])).toBe(words < 32 ? snippet : cut);
      }
    }
  });
});

describe("excerptJson", () => {
  it("is the JSON of what is shown, its ellipses escaped", () => {
    const cuts = fc.record({
      text: fc.string({ unit: "binary" }),
      cutBefore: fc.boolean(),
      cutAfter: fc.boolean(),
    });
    fc.assert(
      fc.property(cuts, (excerpt) => {
        expect(JSON.parse(excerptJson(excerpt))).toBe(shown(excerpt));
        expect(excerptJson(excerpt)).not.toContain("…");
      }),
    );
  });
});
