import type { Reason } from "../../contract/metrics.ts";

/** Leaves room for codes and words in 512 octets, and for an address of 254. */
const MAX_LIST_LENGTH = 400;

/**
 * A reply that a handler gives to the callback of smtp-server: code, enhanced code (RFC 3463) and text.
 * smtp-server would derive the enhanced code from a numeric code alone (552 → 5.2.2), so both stand in `responseCode`;
 * only 421 is numeric, because smtp-server closes the connection after that number. It is no
 * `Error` by itself, because a stack trace for each message would cost time.
 */
export class Reply implements Error {
  readonly name = "Reply";
  readonly message: string;
  readonly responseCode: string | number;
  /** Why something was refused; null for a message that was accepted. */
  readonly reason: Reason | null;

  constructor(code: string | 421, text: string, reason: Reason | null = null) {
    this.message = text;
    this.responseCode = code;
    this.reason = reason;
  }
}

/** As many items as surely fit into a reply line of 512 octets (RFC 5321 §4.5.3.1.5), and the number of the others. */
export function listed(items: readonly string[]): string {
  const shown: string[] = [];
  for (const item of items) {
    if (shown.join(" ").length + item.length > MAX_LIST_LENGTH) break;
    shown.push(item);
  }
  const others = items.length - shown.length;
  return others === 0 ? shown.join(" ") : `${shown.join(" ")} and ${others} more`;
}

/** RFC 5321 §4.2.3 with RFC 3463: the sending server keeps the message and tries again. */
export const temporaryFailure = (): Reply =>
  new Reply("451 4.3.0", "Temporary failure, please try again", "unavailable");

/** RFC 5321 §4.2.2 with RFC 3463 X.1.1; `addresses` are shown to the sender in the bounce. */
export const noSuchMailbox = (addresses: readonly string[]): Reply =>
  new Reply("550 5.1.1", `${listed(addresses.map((one) => `<${one}>`))}: no such mailbox`, "unknown_mailbox");

/**
 * RFC 3463 X.7.1: the rules of the recipients' mailboxes refuse the sender. One text for every reason, so that nobody learns by
 * forged senders whom a mailbox allows.
 */
export const refusedByRules = (addresses: readonly string[], reason: Reason): Reply =>
  new Reply(
    "550 5.7.1",
    `${listed(addresses.map((one) => `<${one}>`))}: accepts no mail from this sender, or only if its domain is proven (DMARC)`,
    reason,
  );

/** RFC 3463 X.2.2 with RFC 5321 §4.2.2: the sending server tries again, and there may be room by then. */
export const mailboxFull = (): Reply => new Reply("452 4.2.2", "Mailbox full", "mailbox_full");

/** The same as a permanent failure, for a message that other recipients already have: a repeat would reach them again. */
export const mailboxFullForGood = (addresses: readonly string[]): Reply =>
  new Reply("552 5.2.2", `${listed(addresses.map((one) => `<${one}>`))}: mailbox full`, "mailbox_full");

/** RFC 3463 X.6.0: the store refuses the message as invalid, and a repeat would be the same. */
export const notAcceptable = (): Reply => new Reply("554 5.6.0", "Message not acceptable", "not_acceptable");

/** RFC 1870 §6.2: the message is over the announced SIZE, or over the limit of the store. */
export const tooLarge = (): Reply => new Reply("552 5.3.4", "Message too large", "too_large");

/** RFC 3463 X.7.0 with RFC 5321 §3.8: the client tries many addresses, and the connection ends. */
export const tooManyUnknown = (): Reply => new Reply(421, "Too many unknown recipients", "too_many_unknown");

/** RFC 5321 §3.8: the client may connect again when other connections have ended. */
export const tooManyConnections = (): Reply =>
  new Reply(421, "Too many connections, try again in a moment", "too_many_connections");

/** RFC 5321 §3.8: the service closes; the sender keeps what was not acknowledged. */
export const shuttingDown = (): Reply => new Reply(421, "Shutting down, please try again", "shutting_down");
