import type { Problem } from "../contract/problem.ts";
import type { OutgoingMessage } from "../mail/compose/outgoing.ts";
import { base64LinesBytes } from "../outbound/base64-lines.ts";
import { composedBytes } from "../outbound/compose.ts";
import type { Addressee, Way } from "./outbox.ts";

/** Room for the fields that a message gets after it was accepted: its DKIM signature and those that reports come back by. */
const ADDED_BYTES = 2_048;
/** Bytes that one byte of text, or of a header field, becomes at most when it is encoded, line ends included. */
const MAX_GROWTH = 4;
/** Lines between the parts, of which each attachment has some. */
const FRAME_BYTES = 1_024;

/**
 * 413 for a message that its way to some recipient does not carry, where each way has its `largest` composed size; null where
 * all of them do. Said before anything is stored: a message that is too large stays so, however often it is tried.
 */
export function tooLargeToCarry(
  message: OutgoingMessage,
  addressees: readonly Addressee[],
  largest: Readonly<Record<Way, number>>,
): Problem | null {
  const least = Math.min(...addressees.map(({ way }) => largest[way]));
  // To lay a message out takes far longer than to accept it, and nearly every message is small.
  if (atMost(message) + ADDED_BYTES <= least) return null;
  const sizeBytes = composedBytes(message) + ADDED_BYTES;
  const refused = addressees.find(({ way }) => sizeBytes > largest[way]);
  if (refused === undefined) return null;
  const carrier =
    refused.way === "inside" ? "mail to a mailbox of this deployment" : "the way out of this deployment";
  return {
    code: "too_large",
    error: `Message too large for ${refused.address}: ${sizeBytes} bytes when composed (max ${largest[refused.way]} for ${carrier})`,
    fix: "Make the attachments smaller (each grows by 37 % in the message) or leave this recipient out; nothing was stored",
  };
}

/** Never less than the composed message has. */
function atMost(message: OutgoingMessage): number {
  const { attachments, ...texts } = message;
  const files = attachments.reduce((sum, { sizeBytes }) => sum + base64LinesBytes(sizeBytes), 0);
  const written = Buffer.byteLength(JSON.stringify({ ...texts, names: attachments }));
  return files + written * MAX_GROWTH + FRAME_BYTES * (attachments.length + 4);
}
