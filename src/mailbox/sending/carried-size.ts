import type { Problem } from "../../contract/problem.ts";
import type { OutgoingMessage } from "../../mail/compose/outgoing.ts";
import { base64LinesBytes } from "../../outbound/base64-lines.ts";
import { composedBytes } from "../../outbound/compose.ts";
import type { Addressee, Way } from "./outbox.ts";

/** Room for fields that are added after a message was accepted: its DKIM signature and trace fields. */
const ADDED_BYTES = 2_048;
/** The most encoded bytes that one byte of text or of a header field becomes, line ends included. */
const MAX_GROWTH = 4;
/** Bytes of the boundaries and header fields of one part. */
const FRAME_BYTES = 1_024;

/**
 * Checks that the way to each recipient carries a message of this size. The 413 names the first recipient whose way does
 * not, and the limit from `largest` (bytes); null if all ways do. The check precedes storing, because no retry makes a
 * message smaller.
 */
export function tooLargeToCarry(
  message: OutgoingMessage,
  addressees: readonly Addressee[],
  largest: Readonly<Record<Way, number>>,
): Problem | null {
  const least = Math.min(...addressees.map(({ way }) => largest[way]));
  // Composing takes far longer than accepting, and nearly all messages are small enough by this estimate.
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

/** An upper bound for the size of the composed message, in bytes. */
function atMost(message: OutgoingMessage): number {
  const { attachments, ...texts } = message;
  const files = attachments.reduce((sum, { sizeBytes }) => sum + base64LinesBytes(sizeBytes), 0);
  const written = Buffer.byteLength(JSON.stringify({ ...texts, names: attachments }));
  return files + written * MAX_GROWTH + FRAME_BYTES * (attachments.length + 4);
}
