import type { Email } from "../../contract/message.ts";
import { invalid, type Problem } from "../../contract/problem.ts";
import { canonicalAddress, recipientAddress } from "../address/address.ts";
import type { AnsweredMail, AnswerRecipients } from "./answered-mail.ts";
import { automaticAnswerFault } from "../automatic.ts";
import { saysAutomatic } from "./outgoing.ts";
import { readNamedAddress } from "./outgoing-fields.ts";
import { returnPathToken } from "../address/return-path.ts";

/** What of a request tells whether a machine asks for it, and whom it is for. */
export interface AnswerWish {
  headers: Readonly<Record<string, string>>;
  to?: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
}

/** Whether a message with these header fields says that no human sent it. */
export function isByMachine({ headers }: Pick<AnswerWish, "headers">): boolean {
  return saysAutomatic({ headers: Object.entries(headers).map(([name, value]) => ({ name, value })) });
}

/**
 * What keeps a message from being sent in answer to `email` (T51); null where nothing does. Humans and agents may answer
 * whatever they read, and what follows a message of our own answers nobody.
 */
export function automaticAnswerProblem(
  email: Email,
  isOwn: (address: string) => boolean,
  wish: Pick<AnswerWish, "headers">,
  what: "a reply to" | "an answer to" | "a forward back of",
): Problem | null {
  if (email.direction === "outbound" || !isByMachine(wish)) return null;
  const { headers, subject, from_address, metadata } = email;
  const heading = { headers, subject, fromAddress: from_address, envelopeFrom: metadata.envelope_from };
  const fault = automaticAnswerFault(heading, isOwn);
  return fault === null
    ? null
    : invalid("headers.Auto-Submitted", `must not stand in ${what} this email: ${fault}`);
}

/**
 * Who gets a machine's answer: the return path alone (RFC 3834 §4). Reply-To and From are set for humans, who see when an
 * answer would go to many. Nobody where the return path is none that can be sent to.
 */
export function automaticRecipients(email: Email, { from }: AnsweredMail): AnswerRecipients {
  const { envelope_from } = email.metadata;
  const isAuthor = sameMailbox(envelope_from, from.address);
  // One that was minted for reports about a message: its mailbox is the author's own.
  const returnPath = isAuthor && returnPathToken(envelope_from) !== null ? from.address : envelope_from;
  const address = recipientAddress(returnPath);
  return { to: address === null ? [] : [{ name: isAuthor ? from.name : "", address }], cc: [] };
}

/** Whether a message goes back to whom `email` came from, which makes an answer of a forward. */
export function goesBack(email: Email, { from, replyTo }: AnsweredMail, wish: AnswerWish): boolean {
  const senders = [email.metadata.envelope_from, from.address, ...replyTo.map(({ address }) => address)];
  return [...(wish.to ?? []), ...wish.cc, ...wish.bcc].some((entry) => {
    const read = readNamedAddress(entry);
    return read.ok && senders.some((sender) => sameMailbox(sender, read.value.address));
  });
}

/** Whether two addresses are one mailbox by all that can be told from here: in any letter case, tags aside. */
function sameMailbox(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(address: string): string {
  return canonicalAddress(address) ?? address.toLowerCase();
}
