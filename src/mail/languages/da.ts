import type { Language } from "./language.ts";

/** Danish. Only a few words of orders and receipts so far; its codes are not read. */
export const da: Language = {
  tag: "da",
  keyWords: "whole",
  money: {
    grandTotal: "i alt",
  },
  order: {
    numberLabel: "ordrenummer",
  },
  receipt: {
    payment: "kvittering",
    dateLabel: "dato",
  },
  recognisedBy: ["ordrenummer, ikke, levering", "beløb, moms, betalt med, ordre"],
};
