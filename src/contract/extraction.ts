import * as z from "zod";

/** What can be asked of an email. */
export const ExtractionType = z.enum(["order", "shipping", "calendar", "receipt", "code"]);
export type ExtractionType = z.infer<typeof ExtractionType>;

const value = z.string().nullable();
const amount = value.meta({ description: "A decimal number with a point.", examples: ["1234.56"] });
const currency = value.meta({ description: "ISO 4217.", examples: ["EUR"] });
const day = value.meta({ description: "YYYY-MM-DD.", examples: ["2026-11-21"] });

/** Where the values were read, and how sure they are; null and 0 where nothing was found. */
const grounds = {
  source: z
    .enum(["jsonld", "microdata", "ics", "text"])
    .nullable()
    .meta({ description: "Where the values stand: schema.org data of the HTML, iCalendar, or the text." }),
  confidence: z.number().min(0).max(1).meta({ description: "0 where nothing was found." }),
};

export const OrderItem = z.object({
  name: z.string(),
  quantity: value,
  price: amount.meta({ description: "As the line shows it." }),
});

export const OrderExtraction = z.object({
  type: z.literal("order"),
  order_id: value,
  total: amount,
  currency,
  merchant: value,
  items: z.array(OrderItem),
  ...grounds,
});

export const ShippingStatus = z.enum(["shipped", "in_transit", "out_for_delivery", "delivered", "exception"]);
export type ShippingStatus = z.infer<typeof ShippingStatus>;

export const ShippingExtraction = z.object({
  type: z.literal("shipping"),
  tracking_number: value,
  carrier: value,
  eta: day,
  status: ShippingStatus.nullable(),
  ...grounds,
});

export const CalendarExtraction = z.object({
  type: z.literal("calendar"),
  title: value,
  date: day.meta({ description: "YYYY-MM-DD, in the zone as written." }),
  time: value.meta({
    description: "HH:MM, in the zone as written; null for a whole day.",
    examples: ["09:30"],
  }),
  location: value,
  attendees: z.array(z.string()),
  start: value.meta({
    description:
      "ISO 8601 with offset; a date for a whole day; null where only the local time of an unknown zone is told.",
    examples: ["2026-11-21T09:30:00+01:00"],
  }),
  end: value.meta({ description: "As `start`; of whole days the day after the last, as in iCalendar." }),
  uid: value,
  method: value.meta({ description: "Of iCalendar; CANCEL also for a reservation that was cancelled." }),
  ...grounds,
});

export const ReceiptExtraction = z.object({
  type: z.literal("receipt"),
  merchant: value,
  amount,
  currency,
  date: day,
  payment_method: value,
  ...grounds,
});

export const CodeExtraction = z.object({
  type: z.literal("code"),
  code: value,
  link: value,
  ...grounds,
});

/** What was read of an email. "Nothing found" is null in every value, no items or attendees, source null, confidence 0. */
export const Extraction = z.discriminatedUnion("type", [
  OrderExtraction,
  ShippingExtraction,
  CalendarExtraction,
  ReceiptExtraction,
  CodeExtraction,
]);
export type Extraction = z.infer<typeof Extraction>;
export type ExtractionOf<Type extends ExtractionType> = Extract<Extraction, { type: Type }>;

export const ExtractRequest = z.strictObject({
  email_id: z.string().min(1, "is required").max(64, "must be at most 64 characters"),
  type: ExtractionType,
});

export const ExtractAnswer = z
  .object({
    email_id: z.string(),
    extraction: Extraction,
    text_truncated: z.boolean().meta({
      description: "Whether the message goes on behind the text that was read (see the email).",
    }),
    extractor: z.int().meta({ description: "Version of the rules: mail is read anew for each request." }),
  })
  .meta({ id: "Extraction" });
export type ExtractAnswer = z.infer<typeof ExtractAnswer>;
