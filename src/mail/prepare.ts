import type { Metadata } from "../contract/message.ts";
import { sha256Hex } from "../lib/hash.ts";
import { authenticationFrom } from "./authentication.ts";
import { findCode } from "./code.ts";
import { contentDigest } from "./content-digest.ts";
import { textToSnippet } from "./html-text.ts";
import { labelsFor } from "./labels.ts";
import type { NamedAddress, ParsedMail } from "./parsed-mail.ts";
import type { PreparedMail, StoredAttachment } from "./prepared-mail.ts";
import { searchableText } from "./search-text.ts";

/** Who a message is for and who handed it over. */
export interface Envelope {
  /** "" is the null sender. */
  from: string;
  /** The recipient, its tag kept. */
  to: string;
  via: Metadata["received_via"];
  clientAddress: string | null;
  helo: string | null;
}

/** Characters of body and headers that lie in a row; beyond, they are read from the raw message each time. */
const MAX_STORED_BODY_CHARS = 256_000;
/** Characters of one address or name; a longer one is cut in listings and whole in `headers`. */
const MAX_NAME_CHARS = 1_000;
/** Hex digits kept of a Message-ID's digest: 128 bits. */
const MESSAGE_KEY_HEX = 32;

/** Everything that storing a message takes, but for where its bytes lie. */
export type Prepared = Omit<PreparedMail, "raw" | "rawKey" | "partsKey">;

/** Reads out of a parsed message what the mailbox writes: labels, code, verdicts, texts for listing and search. */
export function prepareMail(
  raw: Uint8Array,
  parsed: ParsedMail,
  envelope: Envelope,
  authservId: string | null,
): Prepared {
  const fromAddress = cut(parsed.from.address || envelope.from);
  const found = findCode({ subject: parsed.subject, text: parsed.text, html: parsed.html, fromAddress });
  const body = bodyJson(parsed);
  const attachments = parsed.attachments.map(storedAttachment);
  return {
    fromAddress,
    fromName: cut(parsed.from.name),
    toAddress: envelope.to,
    subject: parsed.subject,
    snippet: textToSnippet(parsed.text),
    code: found.code,
    link: found.link,
    labels: labelsFor({
      headers: parsed.headers,
      fromAddress,
      envelopeFrom: envelope.from,
      subject: parsed.subject,
      hasCode: found.code !== null,
    }),
    messageKey: parsed.messageId === null ? null : messageKey(parsed.messageId),
    ancestorKeys: parsed.ancestorIds.map(messageKey),
    digest: contentDigest(raw),
    detail: JSON.stringify(detailOf(parsed, envelope, authservId)),
    body: body.length > MAX_STORED_BODY_CHARS ? null : body,
    attachments,
    search: searchText(parsed, { fromAddress, envelope, code: found.code, attachments }),
    sizeBytes: raw.byteLength,
    parsed: !parsed.faults.includes("parse_failed"),
  };
}

/** The members of an Email that come from the message's text and headers, as a JSON object. */
export function bodyJson(parsed: ParsedMail): string {
  return JSON.stringify({ body_text: parsed.text, body_html: parsed.html, headers: parsed.headers });
}

/** What stands for a Message-ID in the index of known ids. */
function messageKey(messageId: string): string {
  return sha256Hex(messageId).slice(0, MESSAGE_KEY_HEX);
}

function detailOf(parsed: ParsedMail, envelope: Envelope, authservId: string | null) {
  const results = parsed.headers["authentication-results"];
  return {
    cc_address: parsed.cc.map(written).join(", "),
    message_id: parsed.messageId,
    in_reply_to: parsed.inReplyTo,
    references: parsed.references,
    authentication: authenticationFrom(results === undefined ? [] : results.split("\n"), authservId),
    metadata: metadataOf(parsed, envelope),
  };
}

function metadataOf(parsed: ParsedMail, envelope: Envelope): Metadata {
  const failed = parsed.faults.includes("parse_failed");
  return {
    envelope_from: envelope.from,
    envelope_to: envelope.to,
    received_via: envelope.via,
    ...(envelope.clientAddress === null ? {} : { client_address: envelope.clientAddress }),
    ...(envelope.helo === null ? {} : { helo: envelope.helo }),
    date: parsed.date,
    parse_status: failed ? "failed" : parsed.faults.length > 0 ? "partial" : "parsed",
    parse_faults: parsed.faults,
  };
}

function storedAttachment(attachment: ParsedMail["attachments"][number]): StoredAttachment {
  return {
    filename: attachment.filename,
    contentType: attachment.contentType,
    sizeBytes: attachment.content.byteLength,
    disposition: attachment.disposition,
    contentId: attachment.contentId,
    offset: null,
  };
}

function searchText(
  parsed: ParsedMail,
  mail: { fromAddress: string; envelope: Envelope; code: string | null; attachments: StoredAttachment[] },
) {
  const people = [parsed.from, ...parsed.to, ...parsed.cc];
  const addresses = [mail.fromAddress, mail.envelope.to, ...people.map((person) => person.address)];
  return {
    subject: searchableText(parsed.subject),
    names: searchableText(people.map((person) => person.name).join(" ")),
    addresses: searchableText([...new Set(addresses)].join(" ")),
    body: searchableText(parsed.text),
    code: mail.code ?? "",
    attachments: searchableText(mail.attachments.map((attachment) => attachment.filename).join(" ")),
  };
}

function written(person: NamedAddress): string {
  return person.name === "" ? person.address : `${person.name} <${person.address}>`;
}

function cut(text: string): string {
  return text.length > MAX_NAME_CHARS ? text.slice(0, MAX_NAME_CHARS).toWellFormed() : text;
}
