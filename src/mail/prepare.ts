import type { Authentication, Metadata, RecipientField } from "../contract/message.ts";
import { sha256Hex } from "../lib/hash.ts";
import { latinJson, ownJson } from "../lib/json-text.ts";
import { authenticate, shownAuthor, type SenderCheck } from "./authentication/authenticate.ts";
import { readCode, type CodeReading } from "./code/find-code.ts";
import { labelsFor } from "./labels.ts";
import { LargeBody } from "./large-body.ts";
import { newText, snippetOf } from "./text/new-text.ts";
import type { NamedAddress, ParsedMail } from "./mime/parsed-mail.ts";
import type { Listing, PreparedMail, StoredEvidence } from "./prepared-mail.ts";
import { readWhole, type ReadMail } from "./read-mail.ts";
import { reportNews, type ReportNews } from "./report/report-news.ts";
import { trimmedAddress } from "./address/address.ts";
import { isAutoReplied } from "./automatic.ts";
import { returnPathToken } from "./address/return-path.ts";
import { MAX_SENDERS } from "./address/sender.ts";
import { foldForMatch, searchableText } from "./search/search-text.ts";

/** Who a message is for and who handed it over. */
export interface Envelope {
  /** "" is the null sender. */
  from: string;
  /** The recipient, its tag kept; of several that are one mailbox the first. */
  to: string;
  /** The other recipients that are the same mailbox, in their order; none if not given. */
  alsoTo?: readonly string[];
  via: Metadata["received_via"];
  /** An archive says that the owner of the mailbox sent it. */
  isImportedSent?: boolean;
  clientAddress: string | null;
  helo: string | null;
}

/**
 * Bytes of body and headers that lie in a row; beyond, they lie in rows of their own. With a raw message of 512 KB and 1,000
 * attachments, whose descriptions are cut as below, the row stays under the platform's 2 MB.
 */
const MAX_STORED_BODY_BYTES = 256_000;
/** Characters of one address or name; a longer one is cut in listings and whole in `headers`. */
const MAX_NAME_CHARS = 1_000;
/** Addresses of To and Cc that are read for expectations: a mail to somebody who signs up names one. */
const MAX_NAMED = 100;
/** Hex digits kept of a Message-ID's digest: 128 bits. */
const MESSAGE_KEY_HEX = 32;

type Parsed = ReadMail["parsed"];

/** Everything that is stored of a message, except where its bytes are. */
export type Prepared = Omit<PreparedMail, "raw" | "rawKey" | "unusedKeys" | "bodyKey" | "bodyLayout"> & {
  /** The bodies where `body` is null. */
  largeBody: LargeBody | null;
};

/** As `prepareRead`, for a message that was parsed in one piece. */
export function prepareMail(
  raw: Uint8Array,
  parsed: ParsedMail,
  envelope: Envelope,
  check: SenderCheck | null,
): Prepared {
  return prepareRead(readWhole(raw, parsed), envelope, check);
}

/**
 * Derives from a message what the mailbox stores: labels, code, who sent it, texts for listing and search.
 *
 * @param check how it is known who sent it; null where nothing was checked
 */
export function prepareRead(mail: ReadMail, envelope: Envelope, check: SenderCheck | null): Prepared {
  const { parsed, attachments } = mail;
  const sender = senderOf(mail, envelope, check);
  const fromAddress = cut(parsed.from.address || envelope.from);
  const found = readCode({ subject: parsed.subject, text: parsed.text, html: parsed.html, fromAddress });
  const listing: Listing = {
    // These two first, as those who read older listings expect (`wholeListing`).
    sender_verified: sender.authentication?.verdict === "pass",
    text_truncated: parsed.isTextCut,
    from_address: fromAddress,
    from_name: cut(parsed.from.name),
    to_address: envelope.to,
    subject: parsed.subject,
    snippet: snippetOf(parsed.text, parsed.subject),
    code: found.code,
    direction: envelope.isImportedSent === true ? "outbound" : "inbound",
    has_attachments: attachments.length > 0,
    attachment_count: attachments.length,
  };
  return {
    listing: latinJson(listing),
    toAddress: envelope.to,
    senders: sendersOf(parsed, fromAddress),
    ...namedIn(parsed, sender.authentication),
    isAutoReplied: isAutoReplied(parsed),
    senderFolded: foldForMatch(`${fromAddress} ${listing.from_name}`),
    subjectFolded: foldForMatch(parsed.subject),
    code: found.code,
    link: found.link,
    codeEvidence: evidenceJson(found),
    codeReader: found.reader,
    labels: labelsFor({
      headers: parsed.headers,
      fromAddress,
      envelopeFrom: envelope.from,
      subject: parsed.subject,
      hasCode: found.code !== null,
    }),
    messageId: parsed.messageId,
    messageKey: parsed.messageId === null ? null : messageKey(parsed.messageId),
    ancestorKeys: parsed.ancestorIds.map(messageKey),
    digest: mail.digest,
    ...sender,
    detail: JSON.stringify(detailOf(parsed, envelope, sender.authentication)),
    ...storedBody(parsed),
    attachments,
    search: searchText(parsed, {
      addresses: [fromAddress, ...recipientsOf(envelope)],
      code: found.code,
      attachments,
    }),
    sizeBytes: mail.sizeBytes,
    report: newsIn(mail, envelope),
    parsed: !parsed.faults.includes("parse_failed"),
  };
}

function senderOf(
  { head, parsed }: ReadMail,
  { via }: Envelope,
  check: SenderCheck | null,
): Pick<PreparedMail, "authentication" | "authorDomain"> {
  const mail = { raw: head, parsed, via };
  return { authentication: authenticate(mail, check), authorDomain: shownAuthor(mail) };
}

/**
 * Adapts a message that was prepared for one mailbox to another recipient: the text of a message is read once, for all the
 * mailboxes that it is for.
 */
export function preparedFor(
  envelope: Envelope,
  { prepared, read }: { prepared: Prepared; read: ReadMail },
): Prepared {
  const { parsed } = read;
  const listing = ownJson<Listing>(prepared.listing);
  const addresses = searchedAddresses(parsed, [listing.from_address, ...recipientsOf(envelope)]);
  return {
    ...prepared,
    listing: latinJson({ ...listing, to_address: envelope.to }),
    toAddress: envelope.to,
    detail: JSON.stringify(detailOf(parsed, envelope, prepared.authentication)),
    search: { ...prepared.search, addresses },
    report: newsIn(read, envelope),
  };
}

/** The addresses that rules judge: all of From, and the one that listings show. Of a long list, the rest is one unknown sender. */
function sendersOf({ senders }: Parsed, fromAddress: string): string[] {
  const all = [...new Set([fromAddress, ...senders.map(({ address }) => address)])];
  return all.length > MAX_SENDERS ? [...all.slice(0, MAX_SENDERS), ""] : all;
}

/** The readable addresses of To and Cc, of a long list the first: those that the proven domain wrote, and the others. */
function namedIn(
  { to, cc }: Parsed,
  authentication: Authentication | null,
): Pick<PreparedMail, "named" | "unproven"> {
  const isProven = (field: RecipientField): boolean =>
    authentication?.proven_fields?.includes(field) === true;
  const read = (isWanted: boolean): string[] => {
    const people = [...(isProven("to") === isWanted ? to : []), ...(isProven("cc") === isWanted ? cc : [])];
    const addresses = people.slice(0, MAX_NAMED).map(({ address }) => trimmedAddress(address));
    return [...new Set(addresses.filter((address) => address !== null))];
  };
  return { named: read(true), unproven: read(false) };
}

function recipientsOf({ to, alsoTo = [] }: Envelope): string[] {
  return [to, ...alsoTo];
}

/** A report may come to its return path among other addresses of the mailbox. */
function newsIn({ parsed, parts, queueIds }: ReadMail, envelope: Envelope): ReportNews | null {
  const returnPath = recipientsOf(envelope).find((address) => returnPathToken(address) !== null);
  const mail = { ...parsed, attachments: parts };
  return reportNews(mail, { from: envelope.from, to: returnPath ?? envelope.to }, queueIds);
}

function evidenceJson({
  code,
  link,
  confidence,
  linkConfidence,
  alternatives,
  evidence,
}: CodeReading): string | null {
  if (code === null && link === null) return null;
  const stored: StoredEvidence = {
    confidence,
    ...(linkConfidence === null ? {} : { link_confidence: linkConfidence }),
    ...(alternatives.length === 0 ? {} : { alternatives }),
    evidence,
  };
  return JSON.stringify(stored);
}

/** The texts of a message as they are stored: as one JSON object where that fits a row. */
export function storedBody(
  parsed: BodySource & Pick<ParsedMail, "subject">,
): Pick<Prepared, "body" | "largeBody"> {
  const { text, html, subject } = parsed;
  // JSON has a byte at least for each character.
  const body = text.length + html.length > MAX_STORED_BODY_BYTES ? null : bodyJson(parsed);
  if (body !== null && Buffer.byteLength(body) <= MAX_STORED_BODY_BYTES) return { body, largeBody: null };
  const fresh = newText(text, subject);
  const largeBody = new LargeBody({ text, html, fresh, others: JSON.stringify(headerMembers(parsed)) });
  return { body: null, largeBody };
}

type BodySource = Pick<ParsedMail, "text" | "html" | "cc" | "inReplyTo" | "references" | "headers">;

/** The members of an Email that come from the message's text and headers, as a JSON object. */
export function bodyJson(parsed: BodySource): string {
  return JSON.stringify({
    // First, so that a search finds the beginning of the text without reading the whole (`bodyTextStart`).
    body_text: parsed.text,
    ...headerMembers(parsed),
    body_html: parsed.html,
  });
}

function headerMembers(parsed: Omit<BodySource, "text" | "html">) {
  return {
    cc_address: parsed.cc.map(written).join(", "),
    in_reply_to: parsed.inReplyTo,
    references: parsed.references,
    headers: parsed.headers,
  };
}

/** The key of a Message-ID in the index of known ids: the beginning of its digest. */
export function messageKey(messageId: string): string {
  return sha256Hex(messageId).slice(0, MESSAGE_KEY_HEX);
}

function detailOf(parsed: Parsed, envelope: Envelope, authentication: Authentication | null) {
  return {
    // First, as those who read older rows expect (`wholeDetail`).
    authentication,
    message_id: parsed.messageId,
    metadata: metadataOf(parsed, envelope),
  };
}

function metadataOf(parsed: Parsed, envelope: Envelope): Metadata {
  const failed = parsed.faults.includes("parse_failed");
  return {
    envelope_from: envelope.from,
    envelope_to: envelope.to,
    ...(envelope.alsoTo === undefined || envelope.alsoTo.length === 0
      ? {}
      : { envelope_recipients: recipientsOf(envelope) }),
    received_via: envelope.via,
    ...(envelope.isImportedSent === true ? { imported_as_sent: true as const } : {}),
    ...(envelope.clientAddress === null ? {} : { client_address: envelope.clientAddress }),
    ...(envelope.helo === null ? {} : { helo: envelope.helo }),
    date: parsed.date,
    parse_status: failed ? "failed" : parsed.faults.length > 0 ? "partial" : "parsed",
    parse_faults: parsed.faults,
  };
}

/** The envelope a message came in, read from its stored metadata: the inverse of `metadataOf`. */
export function envelopeOf(metadata: Metadata): Envelope {
  return {
    from: metadata.envelope_from,
    to: metadata.envelope_to,
    alsoTo: metadata.envelope_recipients?.slice(1),
    via: metadata.received_via,
    ...(metadata.imported_as_sent === true ? { isImportedSent: true } : {}),
    clientAddress: metadata.client_address ?? null,
    helo: metadata.helo ?? null,
  };
}

/** The content of the full-text index besides header and text of the message. */
interface Searched {
  /** Those that stand in no header field. */
  addresses: readonly string[];
  code: string | null;
  attachments: readonly { filename: string; text?: string }[];
}

/** The columns of the full-text row. */
export function searchText(
  parsed: Pick<ParsedMail, "subject" | "from" | "to" | "cc" | "text" | "ancestorIds">,
  mail: Searched,
) {
  const people = [parsed.from, ...parsed.to, ...parsed.cc];
  return {
    subject: searchableText(parsed.subject),
    names: searchableText(people.map((person) => person.name).join(" ")),
    addresses: searchedAddresses(parsed, mail.addresses),
    body: searchableText(parsed.ancestorIds.length > 0 ? newTextFirst(parsed) : parsed.text),
    code: mail.code ?? "",
    attachments: searchableText(attachmentWords(mail.attachments)),
  };
}

function searchedAddresses(
  parsed: Pick<ParsedMail, "from" | "to" | "cc">,
  others: readonly string[],
): string {
  const named = [parsed.from, ...parsed.to, ...parsed.cc].map((person) => person.address);
  return searchableText([...new Set([...others, ...named])].join(" "));
}

/** The searchable words of attachments, names first: the end of very long texts is not indexed. */
function attachmentWords(attachments: Searched["attachments"]): string {
  const texts = attachments.flatMap(({ text }) => (text === undefined ? [] : [text]));
  return [attachments.map(({ filename }) => filename).join(" "), ...texts].join("\n");
}

/**
 * The text for the index: new words stand twice in a mail that quotes another, so that a search ranks the mail that says
 * something above those that quote it.
 */
function newTextFirst({ text, subject }: Pick<ParsedMail, "text" | "subject">): string {
  const fresh = newText(text, subject);
  return fresh === "" || fresh.length >= text.trim().length ? text : `${fresh}\n${text}`;
}

/** A mailbox as header fields write it: `Ann <ann@example.com>`. */
export function written(person: NamedAddress): string {
  return person.name === "" ? person.address : `${person.name} <${person.address}>`;
}

function cut(text: string): string {
  return text.length > MAX_NAME_CHARS ? text.slice(0, MAX_NAME_CHARS).toWellFormed() : text;
}
