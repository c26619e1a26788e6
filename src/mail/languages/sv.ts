import type { Language } from "./language.ts";

/** Swedish. Only a few words of orders and receipts so far; its codes are not read. */
export const sv: Language = {
  tag: "sv",
  keyWords: "whole",
  subject: {
    reply: "sv",
    strippedReply: "sv",
  },
  appointment: {
    time: "klockan, tid",
  },
  money: {
    grandTotal: "att betala, totalt belopp, totalbelopp, att betala totalt",
    total: "totalt, belopp",
  },
  order: {
    numberLabel: "beställningsnummer",
  },
  receipt: {
    payment: "kvitto",
    dateLabel: "datum",
    due: "förfallodatum",
    methodLabel: "betalningsmetod, betalt med",
  },
  recognisedBy: ["och, inte, ordernummer, leverans, köp, kvitto"],
};
