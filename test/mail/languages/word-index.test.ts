import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WordIndex } from "../../../src/mail/languages/word-index.ts";

const LETTERS = "a-z\\u00c0-\\u024f";
/** Few characters, so that words overlap, begin each other and touch letters and digits. */
const CHARACTERS = ["a", "b", "é", " ", "-", ".", "7", "码", "№"];

const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...CHARACTERS), { maxLength }).map((parts) => parts.join(""));
/** A word, or with a `*` all words that begin so. */
const words = fc.uniqueArray(
  fc
    .tuple(
      text(5).filter((word) => word !== ""),
      fc.boolean(),
    )
    .map(([word, isStem]) => (isStem ? `${word}*` : word)),
  { maxLength: 8, selector: (word) => word.replace("*", "") },
);

/** The places that a regular expression of the same words finds. */
function byExpression(whole: readonly string[], anywhere: readonly string[], sought: string) {
  const source = (list: readonly string[]): string =>
    list
      .toSorted((one, two) => two.replace("*", "").length - one.replace("*", "").length)
      .map((word) => word.replace(/[.+?^${}()|[\]\\-]/g, "\\$&").replace("*", `[${LETTERS}]*`))
      .join("|");
  const never = "(?!)";
  const expression = new RegExp(
    `(?<![0-9${LETTERS}])(?:${source(whole) || never})(?![${LETTERS}])|(?:${source(anywhere) || never})`,
    "g",
  );
  return [...sought.matchAll(expression)].map((match) => [match.index, match.index + match[0].length]);
}

describe("The index of key words", () => {
  it("finds in any text what a regular expression of all its words finds", () => {
    fc.assert(
      fc.property(words, words, text(40), (whole, anywhere, sought) => {
        const anywhereOnly = anywhere.filter(
          (word) => !whole.includes(word.replace("*", "")) && !whole.includes(`${word.replace("*", "")}*`),
        );
        const found = new WordIndex(whole, anywhereOnly, LETTERS).findIn(sought);
        expect(found.map(({ start, end }) => [start, end])).toEqual(
          byExpression(whole, anywhereOnly, sought),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("cuts no whole word out of a longer one, and prefers the longest", () => {
    const index = new WordIndex(["code", "promo code", "№"], ["验证码"], LETTERS);
    const found = index.findIn("promo code, encoder, code7, 7code, №, 您的验证码是").map(({ word }) => word);
    expect(found).toEqual(["promo code", "code", "№", "验证码"]);
  });

  it("finds a word that ends in a star with any ending, and says how it is listed", () => {
    const index = new WordIndex(["kod*", "kod pin"], [], LETTERS);
    const found = index.findIn("kodem, kod pin, wkod");
    expect(found).toEqual([
      { word: "kod*", start: 0, end: 5 },
      { word: "kod pin", start: 7, end: 14 },
    ]);
  });
});
