import { MAX_HEADER_BYTES } from "../mime/header-block.ts";
import type { ParsedAttachment, ParsedMail } from "../mime/parsed-mail.ts";
import { MAX_PART_BYTES } from "./report-fields.ts";

/** A part of a mail that may be a report: of its content no more is read than the beginning. */
export type ReportPart = Pick<ParsedAttachment, "contentType" | "partIndex" | "start">;

/** A mail that may be a report. */
export type ReportMail = Omit<ParsedMail, "attachments"> & { attachments: readonly ReportPart[] };

/** RFC 3464, and RFC 6533 for addresses beyond ASCII. */
const DELIVERY_STATUS_TYPES: readonly string[] = [
  "message/delivery-status",
  "message/global-delivery-status",
];
const FEEDBACK_TYPES: readonly string[] = ["message/feedback-report"];
/** RFC 6522 §3, RFC 6533 §5: the returned message, or its header alone. */
const RETURNED_TYPES: readonly string[] = [
  "message/rfc822",
  "text/rfc822-headers",
  "message/global",
  "message/global-headers",
];

type Typed = Pick<ReportPart, "contentType">;

/** Whether a part tells what became of a message. */
export function isDeliveryStatus({ contentType }: Typed): boolean {
  return DELIVERY_STATUS_TYPES.includes(contentType);
}

/** Whether a part is a complaint, or another answer to a message. */
export function isFeedback({ contentType }: Typed): boolean {
  return FEEDBACK_TYPES.includes(contentType);
}

/** Whether a part is the message that the report is about. */
export function isReturned({ contentType }: Typed): boolean {
  return RETURNED_TYPES.includes(contentType);
}

/** Bytes that are read of a part; a byte more than the limit tells that it is longer. 0 for parts that are not read. */
export function bytesReadOf(part: Typed): number {
  if (isReturned(part)) return MAX_HEADER_BYTES;
  return isDeliveryStatus(part) || isFeedback(part) ? MAX_PART_BYTES + 1 : 0;
}

/** The beginning of a part, as far as it is read. */
export function contentOf(part: ReportPart): Uint8Array {
  return part.start(bytesReadOf(part)).bytes;
}
