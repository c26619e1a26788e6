import fc from "fast-check";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { cutToTokens, estimatedTokens } from "../../src/lib/token-estimate.ts";

const SAMPLES: Record<string, string> = {
  English:
    "Your order has shipped. It will arrive between Tuesday and Thursday, and you can follow the parcel with the number below.",
  German:
    "Ihre Bestellung wurde versandt. Sie kommt zwischen Dienstag und Donnerstag an, und Sie können das Paket verfolgen.",
  Japanese: "ご注文の商品を発送しました。火曜日から木曜日の間に到着する予定です。",
  Russian: "Ваш заказ отправлен. Он прибудет между вторником и четвергом.",
  "a link":
    "https://shop.example/orders/4711?token=dGhpcyBpcyBhIHRva2Vu&utm_source=mail&utm_campaign=shipping",
  "a table": "Article;Price\nLamp;12.50\nTable;199.00\nChair;49.90\nTotal;261.40\n",
};

describe("an estimate of tokens", () => {
  it.each(Object.entries(SAMPLES))("is near what a tokenizer counts: %s", (_, text) => {
    const ratio = estimatedTokens(text) / countTokens(text);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(2.2);
  });

  it("of nothing is 0", () => {
    expect(estimatedTokens("")).toBe(0);
    expect(cutToTokens("", 0)).toEqual({ text: "", omittedTokens: 0 });
    expect(cutToTokens("word", 0)).toEqual({ text: "", omittedTokens: 1 });
  });
});

describe("a text cut to a budget", () => {
  const texts = fc.string({ unit: "binary", maxLength: 500 });

  it("is the beginning of the text, within the budget, and well formed", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 200 }), (text, budget) => {
        const cut = cutToTokens(text, budget);
        expect(text.toWellFormed().startsWith(cut.text)).toBe(true);
        expect(estimatedTokens(cut.text)).toBeLessThanOrEqual(budget);
        expect(cut.text.isWellFormed()).toBe(true);
        expect(cut.omittedTokens === 0).toBe(cut.text === text.toWellFormed());
      }),
    );
  });

  it("ends between words where it can, and never within a character", () => {
    expect(cutToTokens("one two three four", 3).text).toBe("one two");
    expect(cutToTokens("😀".repeat(10), 5).text).toBe("😀😀");
  });
});
