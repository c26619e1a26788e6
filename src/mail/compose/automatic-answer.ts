import type { Email } from "../../contract/message.ts";
import { invalid, type Problem } from "../../contract/problem.ts";
import { canonicalAddress, recipientAddress } from "../address/address.ts";
import type { AnsweredMail, AnswerRecipients } from "./answered-mail.ts";
import { automaticAnswerFault } from "../automatic.ts";
import { saysAutomatic } from "./outgoing.ts";
import { readNamedAddress } from "./outgoing-fields.ts";
import { returnPathToken } from "../address/return-path.ts";

/** The parts of a request that tell whether a machine asks for it, and who the recipients are. */
export interface AnswerRequest {
  headers: Readonly<Record<string, string>>;
  to?: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
}

/** Whether the header fields of a request declare the message automatic. */
export function isByMachine({ headers }: Pick<AnswerRequest, "headers">): boolean {
  return saysAutomatic({ headers: Object.entries(headers).map(([name, value]) => ({ name, value })) });
}

/**
 * The problem that keeps a message from being sent in answer to `email`; null if there is none. Humans and agents may answer
 * any mail; a message that follows one of the mailbox's own answers nobody.
 */
export function automaticAnswerProblem(
  email: Email,
  isOwn: (address: string) => boolean,
  request: Pick<AnswerRequest, "headers">,
  what: "a reply to" | "an answer to" | "a forward back of",
): Problem | null {
  if (email.direction === "outbound" || !isByMachine(request)) return null;
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
  // A return path with a token is for reports; the answer goes to the author's mailbox.
  const returnPath = isAuthor && returnPathToken(envelope_from) !== null ? from.address : envelope_from;
  const address = recipientAddress(returnPath);
  return { to: address === null ? [] : [{ name: isAuthor ? from.name : "", address }], cc: [] };
}

/** Whether a forward goes back to the sender of `email`, which makes it an answer. */
export function goesBack(email: Email, { from, replyTo }: AnsweredMail, request: AnswerRequest): boolean {
  const senders = [email.metadata.envelope_from, from.address, ...replyTo.map(({ address }) => address)];
  return [...(request.to ?? []), ...request.cc, ...request.bcc].some((entry) => {
    const read = readNamedAddress(entry);
    return read.ok && senders.some((sender) => sameMailbox(sender, read.value.address));
  });
}

/** Whether two addresses are the same mailbox, apart from letter case and tags. */
function sameMailbox(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(address: string): string {
  return canonicalAddress(address) ?? address.toLowerCase();
}
