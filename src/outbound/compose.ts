import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import { encodeWord } from "nodemailer/lib/mime-funcs";
import { sha256Hex } from "../lib/hash.ts";
import type { OutgoingField } from "../mail/outgoing-fields.ts";
import type { OutgoingMessage } from "../mail/outgoing.ts";

/**
 * No text of quoted-printable or base64 holds these two characters side by side (RFC 2045 §6.7); what the digest adds is
 * guessed by nobody who writes a text before the Message-ID is minted.
 */
const BOUNDARY_PREFIX = "=_";
const BOUNDARY_HEX = 32;
/** Of one encoded word with its frame; RFC 2047 §2 allows 75. */
const ENCODED_WORD_CHARS = 52;
/** A longer word cannot share a line of 998 (RFC 5322 §2.1.1) with the longest field name. */
const MAX_PLAIN_WORD_CHARS = 900;
/** RFC 2045 §6.8. */
const BASE64_LINE_CHARS = 76;
const LINE_END_BYTES = 2;

/** Opens the content of an attachment, by its place in the message, from its first byte. May be called again and again. */
export type OpenAttachment = (index: number) => Promise<ReadableStream<Uint8Array>>;

/**
 * The message as it goes out, byte by byte: RFC 5322 with CRLF throughout, Bcc nowhere. The same message with the same
 * attachments gives the same bytes at each call. Attachments are opened when their turn comes and pass through in pieces;
 * one whose length is not what the message says breaks the stream off, so that half a file never goes out as a whole one.
 */
export function composeMessage(message: OutgoingMessage, open: OpenAttachment): Readable {
  const contents = message.attachments.map(({ sizeBytes }, index) =>
    // Of nothing there is nothing to stream: an empty content is no content to the composer.
    sizeBytes === 0 ? "" : Readable.from(attachmentBytes(open, index, sizeBytes)),
  );
  return composer(message, contents).compile().createReadStream();
}

/** Bytes of the composed message, told without opening an attachment. */
export async function composedBytes(message: OutgoingMessage): Promise<number> {
  const contents = message.attachments.map(() => "");
  let bytes = 0;
  for await (const chunk of composer(message, contents).compile().createReadStream()) {
    bytes += (chunk as Uint8Array).byteLength;
  }
  return message.attachments.reduce((sum, { sizeBytes }) => sum + base64LineBytes(sizeBytes), bytes);
}

function base64LineBytes(sizeBytes: number): number {
  const chars = Math.ceil(sizeBytes / 3) * 4;
  return chars + LINE_END_BYTES * Math.max(0, Math.ceil(chars / BASE64_LINE_CHARS) - 1);
}

async function* attachmentBytes(open: OpenAttachment, index: number, sizeBytes: number) {
  let left = sizeBytes;
  for await (const chunk of await open(index)) {
    left -= chunk.byteLength;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw new Error(`Attachment ${index} has not the ${sizeBytes} bytes that were announced`);
}

function composer(message: OutgoingMessage, contents: readonly (string | Readable)[]): MailComposer {
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
  return text.replace(/\r\n?|\n/g, "\r\n");
}
