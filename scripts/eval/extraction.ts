import path from "node:path";
import { ExtractionType, type Extraction } from "../../src/contract/extraction.ts";
import { extract, isCalendarFile, type ExtractMail } from "../../src/mail/extract/extract.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import type { Evaluation } from "./evaluation.ts";
import { EXTRACTED_FIELDS } from "./fixtures.ts";

/** The types of the corpus; codes have a corpus of their own. */
const TYPES = ["order", "shipping", "calendar", "receipt"] as const;

/** The date of every composed mail. */
const RECEIVED_AT = "2025-03-18T09:26:11.000Z";

/** Structured extraction: each field of each answer counts. A fixture's `Asked` line names the type. */
export const EXTRACTION: Evaluation = {
  name: "extraction",
  folder: path.join(import.meta.dirname, "../../test/fixtures/extraction"),
  fields: EXTRACTED_FIELDS,
  together: true,
  floors: { precision: 0.98, recall: 0.92 },
  strangersFloors: { precision: 0.97, recall: 0.87 },
  least: { mails: 120, decoys: 24, languages: TYPES.length },
  measures: ({ headers }) => headers.some((line) => line.toLowerCase().startsWith("asked:")),
  async read(raw) {
    const mail = await parseMail(raw);
    const files = mail.attachments.filter((file) => isCalendarFile(file.contentType, file.filename));
    const read: ExtractMail = {
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      from: mail.from,
      receivedAt: RECEIVED_AT,
      calendars: files.map((file) => new TextDecoder().decode(file.content)),
    };
    return written(extract(read, ExtractionType.parse(mail.headers.asked)));
  },
  readText(text) {
    const from = { name: text, address: text };
    const mail = { subject: text, text, html: text, from, receivedAt: RECEIVED_AT, calendars: [text] };
    for (const type of TYPES) extract(mail, type);
  },
};

/** The values of an answer as fixtures write them: `2 x Name = 9.90 | …`, and names with commas between. */
function written(extraction: Extraction): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(extraction).map(([field, value]) => [
      field,
      Array.isArray(value) ? listed(value) : scalar(value),
    ]),
  );
}

const scalar = (value: unknown): string | null => (typeof value === "string" ? value : null);

type Item = { name: string; quantity: string | null; price: string | null };

function listed(values: readonly (string | Item)[]): string | null {
  if (values.length === 0) return null;
  return values
    .map((value) =>
      typeof value === "string" ? value : `${value.quantity ?? "?"} x ${value.name} = ${value.price ?? "?"}`,
    )
    .join(values.every((value) => typeof value === "string") ? ", " : " | ");
}
