import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WordIndex } from "../../../src/mail/languages/word-index.ts";

const LETTERS = "a-z\\u00c0-\\u024f";
/** Few characters, so that words overlap, begin each other and touch letters and digits. */
const CHARACTERS = ["a", "b", "é", " ", "-", ".", "7", "码", "№"];

const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...CHARACTERS), { maxLength }).map((parts) => parts.join(""));
const words = fc.uniqueArray(
  text(5).filter((word) => word !== ""),
  { maxLength: 8 },
);

/** What the index stands for, said as a regular expression. */
function byExpression(whole: readonly string[], anywhere: readonly string[], sought: string) {
  const escaped = (list: readonly string[]): string =>
    list
      .toSorted((one, two) => two.length - one.length)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&"))
      .join("|");
  const never = "(?!)";
  const expression = new RegExp(
    `(?<![0-9${LETTERS}])(?:${escaped(whole) || never})(?![${LETTERS}])|(?:${escaped(anywhere) || never})`,
    "g",
  );
  return [...sought.matchAll(expression)].map((match) => ({
    word: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

describe("The index of key words", () => {
  it("finds in any text what a regular expression of all its words would", () => {
    fc.assert(
      fc.property(words, words, text(40), (whole, anywhere, sought) => {
        const found = new WordIndex(whole, anywhere, LETTERS).findIn(sought);
        expect(found).toEqual(byExpression(whole, anywhere, sought));
      }),
      { numRuns: 3_000 },
    );
  });

  it("cuts no whole word out of a longer one, and prefers the longest", () => {
    const index = new WordIndex(["code", "promo code", "№"], ["验证码"], LETTERS);
    const found = index.findIn("promo code, encoder, code7, 7code, №, 您的验证码是").map(({ word }) => word);
    expect(found).toEqual(["promo code", "code", "№", "验证码"]);
  });
});
