import { MAX_HEADER_BYTES, readHeaderBlock } from "../mime/header-block.ts";
import { messageIds, oneLine } from "../mime/header-values.ts";
import type { ParsedAttachment } from "../mime/parsed-mail.ts";
import type { OriginalMessage } from "./delivery-report.ts";
import { plainAddress } from "./generic-address.ts";

/** RFC 6522 §3, RFC 6533 §5: the returned message, or its header alone. */
const RETURNED_TYPES: ReadonlySet<string> = new Set([
  "message/rfc822",
  "text/rfc822-headers",
  "message/global",
  "message/global-headers",
]);
/** The ids that this service writes are shorter, and others are of no use. */
const MAX_FEEDBACK_ID_CHARS = 998;

export const NO_ORIGINAL: OriginalMessage = { messageId: null, returnPath: null, cfblFeedbackId: null };

/** The first returned message after position `after` of the parts, or the first of all. Its body is not looked at. */
export function originalMessage(parts: readonly ParsedAttachment[], after: number): OriginalMessage {
  const returned = parts.filter(({ contentType }) => RETURNED_TYPES.has(contentType));
  const part = returned.find(({ partIndex }) => partIndex > after) ?? returned[0];
  return part === undefined ? NO_ORIGINAL : originalOfHeader(part.content);
}

/** Reads the header at the start of a returned message; lines that are not fields are skipped. */
export function originalOfHeader(message: Uint8Array): OriginalMessage {
  const { fields } = readHeaderBlock(message.subarray(0, MAX_HEADER_BYTES));
  const first = (name: string): string => fields.find((field) => field.name === name)?.value ?? "";
  const feedbackId = oneLine(first("cfbl-feedback-id"), MAX_FEEDBACK_ID_CHARS).replaceAll(/\s+/g, "");
  return {
    messageId: messageIds(first("message-id"))[0] ?? null,
    returnPath: plainAddress(first("return-path")),
    cfblFeedbackId: feedbackId || null,
  };
}
