import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { STRANGERS_FIELDS } from "../../../scripts/eval/evaluation.ts";
import { readFixtures } from "../../../scripts/eval/fixtures.ts";
import { bodyText } from "../../../scripts/eval/markup.ts";
import { fittedText } from "../../../src/mail/view/fitted-text.ts";
import { mostTokensIn, tokensIn } from "../../../src/mail/view/token-count.ts";
import { tokenCharsFile } from "../../../scripts/token-chars.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";

const STRANGERS = path.join(import.meta.dirname, "../../fixtures/strangers/open");

describe("a count of tokens", () => {
  it("is within 5 % for half of the mails in 45 languages, and within 12 % for nine of ten", () => {
    const mails = readFixtures(STRANGERS, STRANGERS_FIELDS).map(({ body }) => bodyText(body));
    const errors = mails
      .map((text) => Math.abs(tokensIn(text) / countTokens(text) - 1))
      .toSorted((one, two) => one - two);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.05);
    expect(errors[Math.floor(errors.length * 0.9)]).toBeLessThan(0.12);
  });

  it("of digits, marks and gaps is near, and of nothing is 0", () => {
    expect(tokensIn("")).toBe(0);
    const text = "Total: 1,204.50 EUR on 2025-03-18 at 10:30.\n\nhttps://shop.example/o/4711?id=99\n";
    expect(Math.abs(tokensIn(text) / countTokens(text) - 1)).toBeLessThan(0.25);
  });

  it("is a whole number that grows with the text, of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(Number.isSafeInteger(tokensIn(text))).toBe(true);
        expect(tokensIn(`${text}\n\nmore`)).toBeGreaterThanOrEqual(tokensIn(text));
      }),
    );
  });
});

describe("the most tokens of a text", () => {
  const mails = readFixtures(STRANGERS, STRANGERS_FIELDS).map(({ body }) => bodyText(body));
  const hostile = Object.entries(HOSTILE_TEXTS);

  it("are exceeded by no mail and by no hostile text by more than 5 %", () => {
    const over = [...mails.map((text) => [text.slice(0, 40), text] as const), ...hostile]
      .map(([name, text]) => [name, countTokens(text) / mostTokensIn(text)] as const)
      .filter(([, ratio]) => ratio > 1.05);
    expect(over).toEqual([]);
  });

  it.each([50, 300, 800])(
    "are a budget of %s that no text shown in it exceeds by more than 5 %",
    (budget) => {
      const over = [
        ...hostile.map(([, text]) => text),
        ...hostile.map(([, text]) => text.replaceAll(" ", ". ")),
      ]
        .map((text) => countTokens(fittedText(text, budget, null).text))
        .filter((tokens) => tokens > 1.05 * budget);
      expect(over).toEqual([]);
    },
  );

  it("are kept for a word that is repeated: 9,000 times in a budget of 800", () => {
    const { text } = fittedText("word ".repeat(9_000), 800, null);
    expect(countTokens(text)).toBeLessThanOrEqual(840);
    expect(countTokens(text)).toBeGreaterThan(600);
  });

  it("leave seven tenths of a budget to half of the mails", () => {
    const used = mails
      .map((text) => countTokens(text) / mostTokensIn(text))
      .toSorted((one, two) => one - two);
    expect(used[Math.floor(used.length / 2)]).toBeGreaterThan(0.7);
  });

  it("are counted by a table that fits the pinned vocabulary (else: npm run docs)", () => {
    expect(
      readFileSync(path.join(import.meta.dirname, "../../../src/mail/tables/token-chars.ts"), "utf8"),
    ).toBe(tokenCharsFile());
  });
});
