import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { MAX_SUBJECT_CHARS } from "../../contract/sending.ts";
import { recipientAddress } from "../address/address.ts";
import {
  ancestors,
  isoDate,
  messageIds,
  namedAddresses,
  oneLine,
  subjectText,
} from "../mime/header-values.ts";
import { isSendableId, readName } from "./outgoing-fields.ts";
import type { NamedAddress } from "../mime/parsed-mail.ts";

/** Characters of References: the root and the nearest ancestors; a longer field is cut by some servers on the way. */
const MAX_REFERENCES_CHARS = 8_000;

/** The parts of a message that an answer or a forward needs. */
export interface AnsweredMail {
  /** In angle brackets; null if it has none. */
  messageId: string | null;
  /** Ids it refers to, each in angle brackets, nearest last. */
  ancestorIds: string[];
  subject: string;
  from: NamedAddress;
  replyTo: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  /** ISO 8601 UTC; null if missing or unreadable. */
  date: string | null;
  text: string;
  html: string;
}

/** Reads these parts from a stored message: header fields by lower-case name, repeats joined by "\n", and the bodies. */
export function answeredMail(mail: {
  headers: Readonly<Record<string, string>>;
  text: string;
  html: string;
}): AnsweredMail {
  const all = (name: string): string[] => (mail.headers[name] ?? "").split("\n");
  const first = (name: string): string => all(name)[0] ?? "";
  const messageId = messageIds(first("message-id"))[0] ?? null;
  return {
    messageId,
    ancestorIds: ancestors(messageIds(first("references")), messageIds(first("in-reply-to")), messageId),
    subject: subjectText(first("subject")),
    from: namedAddresses([first("from")])[0] ?? { name: "", address: "" },
    replyTo: namedAddresses([first("reply-to")]),
    to: namedAddresses(all("to")),
    cc: namedAddresses(all("cc")),
    date: isoDate(first("date")),
    text: mail.text,
    html: mail.html,
  };
}

/** The In-Reply-To and References fields of an answer (RFC 5322 §3.6.4). */
export interface Ancestry {
  inReplyTo: string | null;
  /** Nearest last, bounded. */
  references: string[];
}

/** The ancestry of an answer to `mail`; ids that no header may hold are left out. */
export function ancestryOfAnswer(mail: Pick<AnsweredMail, "messageId" | "ancestorIds">): Ancestry {
  const { messageId, ancestorIds } = mail;
  const inReplyTo = messageId !== null && isSendableId(messageId) ? messageId : null;
  const ids = [...new Set([...ancestorIds, ...(inReplyTo === null ? [] : [inReplyTo])])].filter(isSendableId);
  const [root = "", ...rest] = ids;
  let chars = root.length;
  const nearest = rest.toReversed().filter((id) => (chars += id.length + 1) <= MAX_REFERENCES_CHARS);
  return { inReplyTo, references: ids.length === 0 ? [] : [root, ...nearest.toReversed()] };
}

/** The recipients of an answer. */
export interface AnswerRecipients {
  to: NamedAddress[];
  cc: NamedAddress[];
}

/**
 * Who an answer goes to (RFC 5322 §3.6.3): where the message asks for answers, else its author; with `all` the other
 * recipients get a copy. The mailbox itself is left out, and nobody is listed twice. An answer to a sent message goes to its
 * recipients, an answer to a note to oneself to the mailbox. Invalid addresses are left out.
 *
 * @param isOwn whether an address is the mailbox or a tag of it
 */
export function answerRecipients(
  mail: Pick<AnsweredMail, "from" | "replyTo" | "to" | "cc">,
  isOwn: (address: string) => boolean,
  all: boolean,
): AnswerRecipients {
  const others = (addresses: readonly NamedAddress[]) =>
    addresses.flatMap(sendable).filter(({ address }) => !isOwn(address));
  const authors = others(mail.replyTo.length > 0 ? mail.replyTo : [mail.from]);
  const isOurs = authors.length === 0;
  const to = isOurs ? others(mail.to) : authors;
  const cc = all ? others([...(isOurs ? [] : mail.to), ...mail.cc]) : [];
  // Two spellings of one address in received fields mean one person.
  const recipients = withoutRepeats({ to, cc }, (address) => address.toLowerCase());
  return to.length === 0 && cc.length === 0 ? { to: sendable(mail.from), cc: [] } : recipients;
}

function sendable({ name, address }: NamedAddress): NamedAddress[] {
  const written = recipientAddress(address);
  // A deceptive display name is never written into a header.
  const said = readName(name);
  return written === null ? [] : [{ name: said.ok ? said.value : "", address: written }];
}

/**
 * The same lists without repeats: an address stays where it stands first. Domains are in lower case already; `keyOf` decides
 * whether two spellings of a local part are the same, which only its host knows.
 */
export function withoutRepeats<Lists extends Record<string, NamedAddress[]>>(
  lists: Lists,
  keyOf: (address: string) => string = (address) => address,
): Lists {
  const seen = new Set<string>();
  const isNew = ({ address }: NamedAddress): boolean => seen.size < seen.add(keyOf(address)).size;
  return Object.fromEntries(
    Object.entries(lists).map(([field, addresses]) => [field, addresses.filter(isNew)]),
  ) as Lists;
}

/** Prefixes as mail programs write them, with a count as in `Re[2]:`. */
const replyPrefixes = lazy(() => {
  const prefixes = anyOf(wordsOf(({ subject }) => subject?.strippedReply));
  return new RegExp(`^(?:(?:${prefixes})(?:\\[\\d{1,3}\\]|\\(\\d{1,3}\\))?\\s{0,3}[:：]\\s*)+`, "iu");
});
const forwardPrefixes = lazy(() => {
  const prefixes = anyOf(wordsOf(({ subject }) => subject?.strippedForward));
  return new RegExp(`^(?:(?:${prefixes})\\s{0,3}[:：]\\s*)+`, "iu");
});

/** `Re: ` and the subject without its own reply prefixes. */
export function answerSubject(subject: string): string {
  return prefixed("Re:", subject.trim().replace(replyPrefixes(), ""));
}

/** `Fwd: ` and the subject without its own forward prefixes. */
export function forwardSubject(subject: string): string {
  return prefixed("Fwd:", subject.trim().replace(forwardPrefixes(), ""));
}

function prefixed(prefix: string, subject: string): string {
  return oneLine(`${prefix} ${subject}`, MAX_SUBJECT_CHARS);
}
