import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { STRANGERS_FIELDS } from "../../../scripts/eval/evaluation.ts";
import { readFixtures } from "../../../scripts/eval/fixtures.ts";
import { bodyText } from "../../../scripts/eval/markup.ts";
import { tokensIn } from "../../../src/mail/view/token-count.ts";

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
