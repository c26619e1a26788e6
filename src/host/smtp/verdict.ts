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
 * SMTP has one answer to DATA for all recipients (RFC 5321 §4.2.5): 250 only if every one of them was stored.
 * After a 451 the sender repeats the message to all; those who have it already recognise the duplicate by its
 * Message-ID. What a repeat would not change is therefore said for good as soon as one recipient has the message.
 */
export function verdict(deliveries: readonly Delivery[]): Reply {
  // Recipients that are one mailbox share a copy and its id.
  const stored = deliveries.flatMap(({ result }) => (result.kind === "stored" ? [result.id] : []));
  const ids = [...new Set(stored)];
  const toldBy = (kind: HandOver["kind"]): string[] =>
    deliveries.filter(({ result }) => result.kind === kind).map((one) => one.recipient);
  const gone = toldBy("unknown");
  const full = toldBy("full");
  if (toldBy("unavailable").length > 0) return temporaryFailure();
  // Repeating would not make it smaller or better; where others stored it, the bounce is still the truth for this recipient.
  if (toldBy("too-large").length > 0) return tooLarge();
  if (toldBy("not-acceptable").length > 0) return notAcceptable();
  // It may be full for this message only, so that the repeat would pass RCPT and come here again and again.
  if (full.length > 0) return ids.length > 0 ? mailboxFullForGood(full) : mailboxFull();
  if (gone.length === deliveries.length) return noSuchMailbox(gone);
  // Some mailboxes vanished since RCPT: the repeat meets its 550 there, and only the sender's bounce for them is lost time.
  if (gone.length > 0) return temporaryFailure();
  return new Reply("250 2.0.0", `Ok: ${listed(ids)}`);
}
