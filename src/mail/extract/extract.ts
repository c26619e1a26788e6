import type { Extraction, ExtractionType } from "../../contract/extraction.ts";
import { readCalendar } from "./calendar.ts";
import { NOTHING } from "./empty-answers.ts";
import { readCode } from "./code.ts";
import type { ExtractMail } from "./mail-text.ts";
import { readOrder } from "./order.ts";
import { readReceipt } from "./receipt.ts";
import { readShipping } from "./shipping.ts";

export type { ExtractMail } from "./mail-text.ts";

/** Counts the changes of what the extractors find. Nothing they find is stored, so a new version reads old mail as well. */
export const EXTRACTOR_VERSION = 2;

type Extractor = (mail: ExtractMail) => Extraction | null;

const EXTRACTORS: Record<ExtractionType, Extractor> = {
  order: readOrder,
  shipping: readShipping,
  calendar: readCalendar,
  receipt: readReceipt,
  code: readCode,
};

/**
 * Reads data of one type out of a mail (`POST /v1/extract`). Data of schema.org and iCalendar come before the text, and
 * one answer has one source. Never throws: an extractor that fails has found nothing. `extractors` are the readers.
 */
export function extract(
  mail: ExtractMail,
  type: ExtractionType,
  extractors: Record<ExtractionType, Extractor> = EXTRACTORS,
): Extraction {
  try {
    return extractors[type](bounded(mail)) ?? NOTHING[type];
  } catch {
    // Any fault at all: what a mail holds must never make reading it fail.
    return NOTHING[type];
  }
}

/** Characters of a text that is read; the code reader and the quotation's end look at fewer. */
export const MAX_TEXT_CHARS = 200_000;
const MAX_SUBJECT_CHARS = 1_000;
const MAX_NAME_CHARS = 300;
/** RFC 5321 §4.5.3.1: 64 of a local part, 255 of a domain. */
const MAX_ADDRESS_CHARS = 320;

function bounded(mail: ExtractMail): ExtractMail {
  return {
    ...mail,
    subject: mail.subject.slice(0, MAX_SUBJECT_CHARS),
    text: mail.text.slice(0, MAX_TEXT_CHARS),
    from: {
      name: mail.from.name.slice(0, MAX_NAME_CHARS),
      address: mail.from.address.slice(-MAX_ADDRESS_CHARS),
    },
  };
}

/** Whether an attachment is an iCalendar file (RFC 5545 §8.1), by its media type or its name. */
export function isCalendarFile(contentType: string, filename: string): boolean {
  return /^(?:text\/calendar|application\/ics)\b/i.test(contentType) || /\.ics$/i.test(filename);
}
