import { MAX_HEADER_BYTES, readHeaderBlock } from "../mime/header-block.ts";
import { messageIds, oneLine } from "../mime/header-values.ts";
import type { OriginalMessage } from "./delivery-report.ts";
import { plainAddress } from "./generic-address.ts";
import { contentOf, isReturned, type ReportPart } from "./report-part.ts";

/** The ids that this service writes are shorter, and others are of no use. */
const MAX_FEEDBACK_ID_CHARS = 998;

export const NO_ORIGINAL: OriginalMessage = { messageId: null, returnPath: null, cfblFeedbackId: null };

/** The first returned message after position `after` of the parts, or the first of all. Its body is not looked at. */
export function originalMessage(parts: readonly ReportPart[], after: number): OriginalMessage {
  const returned = parts.filter(isReturned);
  const part = returned.find(({ partIndex }) => partIndex > after) ?? returned[0];
  return part === undefined ? NO_ORIGINAL : originalOfHeader(contentOf(part));
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
