/** Leaves room for codes and words in 512 octets, and for an address of 254. */
const MAX_LIST_LENGTH = 400;

/**
 * What a handler of smtp-server hands to its callback to choose the answer: code, enhanced code (RFC 3463) and text.
 * smtp-server would derive the enhanced code from a numeric code alone (552 → 5.2.2), so both stand in `responseCode`;
 * only 421 is numeric, because smtp-server closes the connection after that number.
 */
export class Reply extends Error {
  override readonly name = "Reply";
  readonly responseCode: string | number;

  constructor(code: string | 421, text: string) {
    super(text);
    this.responseCode = code;
  }
}

/** RFC 5321 §4.5.3.1.5 allows 512 octets a reply line: as many items as surely fit, and the number of the others. */
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
export const temporaryFailure = (): Reply => new Reply("451 4.3.0", "Temporary failure, please try again");

/** RFC 5321 §4.2.2 with RFC 3463 X.1.1; `addresses` are shown to the sender in the bounce. */
export const noSuchMailbox = (addresses: readonly string[]): Reply =>
  new Reply("550 5.1.1", `${listed(addresses.map((one) => `<${one}>`))}: no such mailbox`);

/** RFC 3463 X.2.2 with RFC 5321 §4.2.2: the sending server tries again, and there may be room by then. */
export const mailboxFull = (): Reply => new Reply("452 4.2.2", "Mailbox full");

/** The same for good, where a repeat would reach recipients who have the message already. */
export const mailboxFullForGood = (addresses: readonly string[]): Reply =>
  new Reply("552 5.2.2", `${listed(addresses.map((one) => `<${one}>`))}: mailbox full`);

/** RFC 3463 X.6.0: the store finds fault with what the sender says, and a repeat would say the same. */
export const notAcceptable = (): Reply => new Reply("554 5.6.0", "Message not acceptable");

/** RFC 1870 §6.2: a message over the announced SIZE, or over what the store takes. */
export const tooLarge = (): Reply => new Reply("552 5.3.4", "Message too large");

/** RFC 3463 X.7.0 with RFC 5321 §3.8: a client that looks for addresses; what is left of its list is for another connection. */
export const tooManyUnknown = (): Reply => new Reply(421, "Too many unknown recipients");

/** RFC 5321 §3.8: it comes again when it has ended another one, or others have. */
export const tooManyConnections = (): Reply => new Reply(421, "Too many connections, try again in a moment");

/** RFC 5321 §3.8: the service closes; what was not acknowledged stays with the sender. */
export const shuttingDown = (): Reply => new Reply(421, "Shutting down, please try again");
