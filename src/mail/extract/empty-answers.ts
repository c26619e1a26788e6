import type { ExtractionOf, ExtractionType } from "../../contract/extraction.ts";

const NONE = { source: null, confidence: 0 } as const;

/** The answer where nothing was found. */
export const NOTHING: { [Type in ExtractionType]: ExtractionOf<Type> } = {
  order: { type: "order", order_id: null, total: null, currency: null, merchant: null, items: [], ...NONE },
  shipping: { type: "shipping", tracking_number: null, carrier: null, eta: null, status: null, ...NONE },
  calendar: {
    type: "calendar",
    title: null,
    date: null,
    time: null,
    location: null,
    attendees: [],
    start: null,
    end: null,
    uid: null,
    method: null,
    ...NONE,
  },
  receipt: {
    type: "receipt",
    merchant: null,
    amount: null,
    currency: null,
    date: null,
    payment_method: null,
    ...NONE,
  },
  code: { type: "code", code: null, link: null, ...NONE },
};
