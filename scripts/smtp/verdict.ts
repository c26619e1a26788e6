import { Reply, listed, noSuchMailbox, temporaryFailure, tooLarge } from "./reply.ts";
import type { HandOver } from "./upstream.ts";

/** What became of a message for one recipient. */
export interface Delivery {
  recipient: string;
  result: HandOver;
}

/**
 * SMTP has one answer to DATA for all recipients (RFC 5321 §4.2.5): 250 only if every one of them was stored.
 * After a 451 the sender repeats the message to all; those who have it already recognise the duplicate.
 */
export function verdict(deliveries: readonly Delivery[]): Reply {
  const ids = deliveries.flatMap(({ result }) => (result.kind === "stored" ? [result.id] : []));
  const gone = deliveries.filter(({ result }) => result.kind === "unknown").map((one) => one.recipient);
  if (deliveries.some(({ result }) => result.kind === "unavailable")) return temporaryFailure();
  // Repeating would not make it smaller; where others stored it, the bounce is still the truth for this recipient.
  if (deliveries.some(({ result }) => result.kind === "too-large")) return tooLarge();
  if (gone.length === deliveries.length) return noSuchMailbox(gone);
  // Some mailboxes vanished since RCPT: the repeat meets its 550 there, and only the sender's bounce for them is lost time.
  if (gone.length > 0) return temporaryFailure();
  return new Reply("250 2.0.0", `Ok: ${listed(ids)}`);
}
