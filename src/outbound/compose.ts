import { sha256Hex } from "../lib/hash.ts";
import type { OutgoingField } from "../mail/compose/outgoing-fields.ts";
import type { OutgoingMessage } from "../mail/compose/outgoing.ts";
import { base64Lines, base64LinesBytes } from "./base64-lines.ts";
import { base64, encodeWord, MailComposer, quotedPrintable, type MimeNode } from "./nodemailer-internals.ts";

/**
 * Quoted-printable and base64 never contain these two characters in sequence (RFC 2045 §6.7). The digest that follows
 * cannot be guessed by anybody who writes a text before the Message-ID is made.
 */
const BOUNDARY_PREFIX = "=_";
const BOUNDARY_HEX = 32;
/** Characters of one encoded word with its frame; RFC 2047 §2 allows 75. */
const ENCODED_WORD_CHARS = 52;
const CRLF = "\r\n";
/** A longer word does not fit into a line of 998 (RFC 5322 §2.1.1) beside the longest field name. */
const MAX_PLAIN_WORD_CHARS = 900;

/** Opens an attachment by its index in the message, from its first byte. May be called repeatedly. */
export type OpenAttachment = (index: number) => AsyncIterable<Uint8Array>;

/**
 * Yields the message as it is sent: RFC 5322, CRLF throughout, without Bcc. The same message with the same attachments
 * yields the same bytes. Attachments are opened when their turn comes and stream through. Throws if one does not have the
 * announced length, so that half a file is never sent as a whole one.
 */
export async function* composeMessage(
  message: OutgoingMessage,
  open: OpenAttachment,
): AsyncGenerator<Uint8Array, void> {
  for (const part of layOut(message)) {
    if (part.kind === "text") yield Buffer.from(part.text);
    else yield* base64Lines(attachmentBytes(open, part.index, part.sizeBytes));
  }
}

/** Bytes of the composed message, computed without opening an attachment. */
export function composedBytes(message: OutgoingMessage): number {
  return layOut(message).reduce(
    (sum, part) =>
      sum + (part.kind === "text" ? Buffer.byteLength(part.text) : base64LinesBytes(part.sizeBytes)),
    0,
  );
}

/** The parts of a message in order: encoded text, and attachments by their index. */
type Part = { kind: "text"; text: string } | { kind: "file"; index: number; sizeBytes: number };

/**
 * Lays out the tree of nodemailer's composer. The composer can stream it, but waits for several timers in each node;
 * everything except attachments is in memory anyway.
 */
function layOut(message: OutgoingMessage): Part[] {
  // The composer omits the body of a node with empty content.
  const marks = message.attachments.map(({ sizeBytes }) => (sizeBytes === 0 ? "" : Buffer.from("mark")));
  const parts: Part[] = [];
  const write = (text: string): void => {
    const last = parts.at(-1);
    if (last?.kind === "text") last.text += text;
    else parts.push({ kind: "text", text });
  };
  const walk = (node: MimeNode): void => {
    write(`${node.buildHeaders()}${CRLF}${CRLF}`);
    const index = typeof node.content === "string" ? -1 : marks.findIndex((mark) => mark === node.content);
    const file = message.attachments[index];
    if (file !== undefined) parts.push({ kind: "file", index, sizeBytes: file.sizeBytes });
    else write(encodedText(node));
    for (const [place, child] of node.childNodes.entries()) {
      write(`${place === 0 ? "" : CRLF}--${node.boundary}${CRLF}`);
      walk(child);
    }
    if (node.multipart) write(`${CRLF}--${node.boundary}--${CRLF}`);
  };
  walk(composer(message, marks).compile());
  // A message of text alone may end without a line end.
  const last = parts.at(-1);
  if (last?.kind !== "text" || !last.text.endsWith(CRLF)) write(CRLF);
  return parts;
}

/** The encoded text of a node; "" if it has none. */
function encodedText(node: MimeNode): string {
  const { content } = node;
  if (typeof content !== "string") return "";
  const encoding = node.getTransferEncoding();
  if (encoding === "base64") return base64.wrap(base64.encode(content));
  return encoding === "quoted-printable" ? quotedPrintable.wrap(quotedPrintable.encode(content)) : content;
}

async function* attachmentBytes(open: OpenAttachment, index: number, sizeBytes: number) {
  let left = sizeBytes;
  for await (const chunk of open(index)) {
    left -= chunk.byteLength;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new Error(`Attachment ${index} does not have the announced ${sizeBytes} bytes`);
}

function composer(message: OutgoingMessage, contents: readonly (string | Buffer)[]): MailComposer {
  const { inReplyTo, references } = message;
  return new MailComposer({
    from: message.from,
    to: message.to,
    cc: message.cc,
    replyTo: message.replyTo,
    messageId: message.messageId,
    inReplyTo: inReplyTo ?? undefined,
    references: references.length === 0 ? undefined : [...references],
    date: new Date(message.dateMs),
    headers: [{ name: "Subject", value: message.subject }, ...message.headers].map(headerLine),
    text: crlf(message.text),
    html: crlf(message.html),
    attachments: message.attachments.map(({ filename, contentType, contentId }, index) => ({
      filename,
      contentType,
      cid: contentId ?? undefined,
      contentDisposition: contentId === null ? "attachment" : "inline",
      content: contents[index],
    })),
    baseBoundary: sha256Hex(message.messageId).slice(0, BOUNDARY_HEX),
    boundaryPrefix: BOUNDARY_PREFIX,
    // Only the given content is used: nothing in a message may read a file or call a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function headerLine({ name, value }: OutgoingField) {
  return { key: name, value: { prepared: true, foldLines: true, value: headerText(value) } };
}

/**
 * Encodes an unstructured value (RFC 5322 §2.2.1): ASCII stays as it is, so that machines can read URLs and tokens;
 * everything else becomes encoded words. The composer would leave text that looks like an encoded word unchanged, and
 * readers would decode it.
 */
function headerText(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && !value.includes("=?") && !/ {2}/.test(value);
  const longest = Math.max(...value.split(" ").map((word) => word.length));
  if (isPlain && longest <= MAX_PLAIN_WORD_CHARS) return value;
  const letters = value.replace(/[^A-Za-z0-9 ]+/g, "").length;
  return encodeWord(value, letters * 2 > value.length ? "Q" : "B", ENCODED_WORD_CHARS);
}

/** Converts line ends to CRLF (RFC 5322 §2.3). */
function crlf(text: string): string {
  return text.replace(/\r\n?|\n/g, CRLF);
}
