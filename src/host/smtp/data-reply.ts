import {
  Reply,
  listed,
  mailboxFull,
  mailboxFullForGood,
  noSuchMailbox,
  notAcceptable,
  refusedByRules,
  temporaryFailure,
  tooLarge,
} from "./reply.ts";
import type { Delivery, HandOver } from "./upstream.ts";

/**
 * The reply to DATA. SMTP has one for all recipients (RFC 5321 §4.2.5): 250 only if the message is stored for each of them,
 * or for one of them while the rules of the others' mailboxes refused it, for good or because DNS did not answer: a repeat would
 * bring those who have it a second copy if it has no Message-ID.
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
  if (recipientsOf("unchecked").length > 0 && ids.length === 0) return temporaryFailure();
  const [refused] = deliveries.flatMap(({ result }) => (result.kind === "refused" ? [result] : []));
  // For all recipients, so the sender can be told. If some have it, a refusal would say that they do not; and a bounce to an
  // address that nobody proved would reach a stranger. The others' mailboxes keep it as refused, for their owners to see.
  if (refused !== undefined && ids.length === 0) {
    return refusedByRules(recipientsOf("refused"), refused.reason);
  }
  return new Reply("250 2.0.0", `Ok: ${listed(ids)}`);
}
