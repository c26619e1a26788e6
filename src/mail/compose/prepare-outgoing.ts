import type { Metadata } from "../../contract/message.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { latinJson } from "../../lib/json-text.ts";
import { htmlToText } from "../text/html-text.ts";
import { snippetOf } from "../text/new-text.ts";
import type { OutgoingMessage } from "./outgoing.ts";
import { bodyJson, messageKey, searchText, written } from "../prepare.ts";
import type { Listing, PreparedMail } from "../prepared-mail.ts";
import { foldForMatch } from "../search/search-text.ts";

/** Data that is stored with an outgoing message and is not part of it. */
export interface Departure {
  /** Envelope recipients. */
  recipients: readonly string[];
  returnPath: string;
  /** Bytes of the composed message. */
  sizeBytes: number;
}

/** Nothing judges who sent a message that is written here, and to whom. */
const NOT_RECEIVED: Pick<
  PreparedMail,
  "senders" | "named" | "unproven" | "isAutoReplied" | "authentication" | "authorDomain"
> = {
  senders: [],
  named: [],
  unproven: [],
  isAutoReplied: false,
  authentication: null,
  authorDomain: null,
};

/**
 * Derives what the mailbox stores of a message that it sends, as `prepareMail` does of one that arrives. Its bytes and its
 * body are not stored: both are composed from the message whenever they are asked for.
 */
export function prepareOutgoing(message: OutgoingMessage, departure: Departure): PreparedMail {
  const { from, to, cc, subject, messageId } = message;
  const { recipients, returnPath, sizeBytes } = departure;
  const text = textOf(message);
  const listing: Listing = {
    sender_verified: false,
    text_truncated: false,
    from_address: from.address,
    from_name: from.name,
    to_address: (to.length > 0 ? to.map(({ address }) => address) : recipients).join(", "),
    subject,
    snippet: snippetOf(text, subject),
    code: null,
    direction: "outbound",
    has_attachments: message.attachments.length > 0,
    attachment_count: message.attachments.length,
  };
  const ancestors = [...message.references, ...(message.inReplyTo === null ? [] : [message.inReplyTo])];
  const metadata = metadataOf(message, recipients, returnPath);
  return {
    listing: latinJson(listing),
    toAddress: recipients.join(", "),
    senderFolded: foldForMatch(`${from.address} ${from.name}`),
    subjectFolded: foldForMatch(subject),
    code: null,
    link: null,
    codeEvidence: null,
    codeReader: 0,
    labels: [],
    messageId,
    messageKey: messageKey(messageId),
    ancestorKeys: [...new Set(ancestors)].map(messageKey),
    // Nobody else bears an id that we minted.
    digest: sha256Hex(messageId),
    ...NOT_RECEIVED,
    detail: JSON.stringify({ authentication: null, message_id: messageId, metadata }),
    body: null,
    bodyKey: null,
    bodyLayout: null,
    attachments: message.attachments.map(({ filename, contentType, contentId, sizeBytes: bytes }) => ({
      filename,
      contentType: contentType.split(";")[0] ?? contentType,
      sizeBytes: bytes,
      disposition: contentId === null ? "attachment" : "inline",
      contentId,
      offset: null,
    })),
    search: searchText(
      { subject, from, to, cc, text, ancestorIds: ancestors },
      { addresses: recipients, code: null, attachments: message.attachments },
    ),
    sizeBytes,
    report: null,
    parsed: true,
    raw: null,
    rawKey: null,
    unusedKeys: [],
  };
}

/** The members of an Email that come from text and headers of an outgoing message, as a JSON object. */
export function outgoingBodyJson(message: OutgoingMessage): string {
  const { cc, inReplyTo, references, html } = message;
  return bodyJson({
    text: textOf(message),
    html,
    cc,
    inReplyTo,
    references: references.length === 0 ? null : references.join(" "),
    headers: headersOf(message),
  });
}

function textOf({ text, html }: Pick<OutgoingMessage, "text" | "html">): string {
  return text === "" && html !== "" ? htmlToText(html) : text;
}

/** Header fields as `headers` of an Email shows them: lower-case name to value, repeats joined by "\n". */
function headersOf(message: OutgoingMessage): Record<string, string> {
  const { from, to, cc, replyTo, subject, dateMs, messageId, inReplyTo, references } = message;
  const list = (people: OutgoingMessage["to"]): string => people.map(written).join(", ");
  const fields: [string, string][] = [
    ["from", written(from)],
    ["to", list(to)],
    ["cc", list(cc)],
    ["reply-to", list(replyTo)],
    ["subject", subject],
    ["date", new Date(dateMs).toUTCString()],
    ["message-id", messageId],
    ["in-reply-to", inReplyTo ?? ""],
    ["references", references.join(" ")],
    ...message.headers.map(({ name, value }): [string, string] => [name.toLowerCase(), value]),
  ];
  const headers = new Map<string, string>();
  for (const [name, value] of fields) {
    if (value === "") continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  return Object.fromEntries(headers);
}

function metadataOf(message: OutgoingMessage, recipients: readonly string[], returnPath: string): Metadata {
  return {
    envelope_from: returnPath,
    envelope_to: recipients.join(", "),
    received_via: "api",
    date: new Date(message.dateMs).toISOString(),
    parse_status: "parsed",
    parse_faults: [],
  };
}
