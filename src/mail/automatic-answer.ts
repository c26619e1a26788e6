/** RFC 5321 §6.3 leaves the number open; honest mail has a dozen. */
const MAX_HOPS = 50;

/** Senders that nobody reads (RFC 3834 §2, RFC 5230 §4.6). */
const MACHINE_NAMES =
  /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|listserv|majordomo|owner-.*|.*-(?:request|bounces?|owner))(?:\+|@)/i;

/** What tells whether a message may be answered by machinery. */
export interface AnswerableMail {
  /** Fields by lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Its return path; "" is the null sender. */
  envelopeFrom: string;
}

/**
 * Why no automatic answer may go to a message (RFC 3834 §2, threats T51): two machines that answer each other never stop.
 * Null if one may; it then goes to the return path and bears `Auto-Submitted: auto-replied`.
 *
 * @param isOwn whether an address is the mailbox or a tag of it
 */
export function automaticAnswerFault(
  { headers, envelopeFrom }: AnswerableMail,
  isOwn: (address: string) => boolean,
): string | null {
  if (envelopeFrom === "") return "It has no return path: it is a report or an automatic answer itself";
  if (isOwn(envelopeFrom)) return "It comes from this mailbox";
  if (MACHINE_NAMES.test(envelopeFrom)) return "Its sender is a machine";
  if (isAutomatic(headers["auto-submitted"])) return "It was sent automatically";
  if (Object.keys(headers).some((name) => name.startsWith("list-"))) return "It comes from a list";
  if (/\b(?:bulk|junk|list)\b/i.test(headers.precedence ?? "")) return "It is bulk mail";
  if (headers["x-auto-response-suppress"] !== undefined) return "It asks not to be answered automatically";
  return hops(headers) >= MAX_HOPS ? "It has gone in circles" : null;
}

/** Whether a value of Auto-Submitted (RFC 3834 §5) says that no human sent the message. */
export function isAutomatic(autoSubmitted: string | undefined): boolean {
  return autoSubmitted !== undefined && !/^\s*no\s*(?:;|\(|$)/i.test(autoSubmitted);
}

function hops(headers: AnswerableMail["headers"]): number {
  return headers.received?.split("\n").length ?? 0;
}
