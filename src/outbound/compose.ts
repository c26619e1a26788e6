import { sha256Hex } from "../lib/hash.ts";
import type { OutgoingField } from "../mail/compose/outgoing-fields.ts";
import type { OutgoingMessage } from "../mail/compose/outgoing.ts";
import { base64Lines, base64LinesBytes } from "./base64-lines.ts";
import { base64, encodeWord, MailComposer, quotedPrintable, type MimeNode } from "./nodemailer-internals.ts";

/**
 * No text of quoted-printable or base64 holds these two characters side by side (RFC 2045 §6.7); what the digest adds is
 * guessed by nobody who writes a text before the Message-ID is minted.
 */
const BOUNDARY_PREFIX = "=_";
const BOUNDARY_HEX = 32;
/** Of one encoded word with its frame; RFC 2047 §2 allows 75. */
const ENCODED_WORD_CHARS = 52;
const CRLF = "\r\n";
/** A longer word cannot share a line of 998 (RFC 5322 §2.1.1) with the longest field name. */
const MAX_PLAIN_WORD_CHARS = 900;

/** Opens the content of an attachment, by its place in the message, from its first byte. May be called again and again. */
export type OpenAttachment = (index: number) => AsyncIterable<Uint8Array>;

/**
 * The message as it goes out, byte by byte: RFC 5322 with CRLF throughout, Bcc nowhere. The same message with the same
 * attachments gives the same bytes at each call. Attachments are opened when their turn comes and pass through in pieces;
 * one whose length is not what the message says breaks the stream off, so that half a file never goes out as a whole one.
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

/** Bytes of the composed message, told without opening an attachment. */
export function composedBytes(message: OutgoingMessage): number {
  return layOut(message).reduce(
    (sum, part) =>
      sum + (part.kind === "text" ? Buffer.byteLength(part.text) : base64LinesBytes(part.sizeBytes)),
    0,
  );
}

/** What a message consists of, in its order: text as it goes out, and attachments by their place in the message. */
type Part = { kind: "text"; text: string } | { kind: "file"; index: number; sizeBytes: number };

/**
 * Walks the tree that the composer makes. It can stream one itself, but then waits for a timer some times in each node: all
 * of a tree but its attachments is in memory anyway.
 */
function layOut(message: OutgoingMessage): Part[] {
  // Of an empty content the composer makes no content.
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
  // A text alone may end within a line.
  const last = parts.at(-1);
  if (last?.kind !== "text" || !last.text.endsWith(CRLF)) write(CRLF);
  return parts;
}

/** The text of a node; "" for one that has none. */
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
  if (left !== 0) throw new Error(`Attachment ${index} has not the ${sizeBytes} bytes that were announced`);
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
    // A content is what was handed in; nothing in a message makes us read a file or call a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function headerLine({ name, value }: OutgoingField) {
  return { key: name, value: { prepared: true, foldLines: true, value: headerText(value) } };
}

/**
 * An unstructured value (RFC 5322 §2.2.1): ASCII as it is, so that URLs and tokens stay readable to machines; everything
 * else as encoded words. The composer would let a text through that looks like an encoded word, and readers would show
 * something else than was sent.
 */
function headerText(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && !value.includes("=?") && !/ {2}/.test(value);
  const longest = Math.max(...value.split(" ").map((word) => word.length));
  if (isPlain && longest <= MAX_PLAIN_WORD_CHARS) return value;
  const letters = value.replace(/[^A-Za-z0-9 ]+/g, "").length;
  return encodeWord(value, letters * 2 > value.length ? "Q" : "B", ENCODED_WORD_CHARS);
}

/** Lines of a text end in CRLF on the wire (RFC 5322 §2.3). */
function crlf(text: string): string {
  return text.replace(/\r\n?|\n/g, CRLF);
}
