import {
  Reply,
  listed,
  mailboxFull,
  mailboxFullForGood,
  noSuchMailbox,
  notAcceptable,
  temporaryFailure,
  tooLarge,
} from "./reply.ts";
import type { Delivery, HandOver } from "./upstream.ts";

/**
 * The reply to DATA. SMTP has one for all recipients (RFC 5321 §4.2.5): 250 only if the message is stored for each of them.
 * After a 451 the sender repeats the message to all; mailboxes that have it already recognize the duplicate by its
 * Message-ID. A failure that a repeat would not change is therefore permanent as soon as one recipient has the message.
 */
export function dataReply(deliveries: readonly Delivery[]): Reply {
  // Recipients that are one mailbox share a copy and its id.
  const stored = deliveries.flatMap(({ result }) => (result.kind === "stored" ? [result.id] : []));
  const ids = [...new Set(stored)];
  const recipientsOf = (kind: HandOver["kind"]): string[] =>
    deliveries.filter(({ result }) => result.kind === kind).map((one) => one.recipient);
  const unknown = recipientsOf("unknown");
  const full = recipientsOf("full");
  if (recipientsOf("unavailable").length > 0) return temporaryFailure();
  // A repeat would be as large and as wrong. Recipients who have the message keep it; the bounce is true for this one.
  if (recipientsOf("too-large").length > 0) return tooLarge();
  if (recipientsOf("not-acceptable").length > 0) return notAcceptable();
  // The mailbox may be full for this message only: then each repeat passes RCPT and fails here again.
  if (full.length > 0) return ids.length > 0 ? mailboxFullForGood(full) : mailboxFull();
  if (unknown.length === deliveries.length) return noSuchMailbox(unknown);
  // Some mailboxes vanished since RCPT: the repeat gets 550 for them there, and the sender's bounce is only late.
  if (unknown.length > 0) return temporaryFailure();
  return new Reply("250 2.0.0", `Ok: ${listed(ids)}`);
}
