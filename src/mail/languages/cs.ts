import type { Language } from "./language.ts";

/** Czech. Only a few words of orders and receipts so far; its codes are not read. */
export const cs: Language = {
  tag: "cs",
  keyWords: "whole",
  money: {
    grandTotal: "celkem k úhradě, celková cena",
    total: "celkem",
  },
  order: {
    numberLabel: "číslo objednávky",
  },
};
