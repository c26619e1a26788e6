import { BUCKET_TIMEOUT_MS, inTime } from "../blobs/bucket-call.ts";
import { notFound, type Answer, type Problem } from "../contract/problem.ts";
import type { Email } from "../contract/message.ts";
import { streamBytes } from "../lib/body-bytes.ts";
import { closedLiteral, stringMember, ownJson } from "../lib/json-text.ts";
import { done, refused } from "../lib/outcome.ts";
import type { ByteSpan } from "../mail/large-body.ts";
import { newText } from "../mail/text/new-text.ts";
import { parseMail } from "../mail/mime/parse.ts";
import { decodedRange, encodedSpan } from "../mail/mime/part-range.ts";
import type { FilePlace } from "../mail/prepared-mail.ts";
import type { Access } from "../mailbox/account/access.ts";
import type { AttachmentSource, EmailAnswer, RawSource } from "../mailbox/reading/reading.ts";
import { arriving, arrivingFrom, type Arriving } from "./arriving.ts";
import { blobsForReading, rowsOf } from "./blob-choice.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

const UNREADABLE: Problem = {
  code: "unavailable",
  error: "The stored message cannot be read now; try again",
  retryAfterSeconds: 5,
};

/** Opens a raw message: bytes of a row, or a stream from the blob store. 503 if the store cannot deliver it. */
export async function openRaw(
  env: Env,
  mailbox: MailboxStub,
  source: RawSource,
): Promise<Answer<ArrayBuffer | ReadableStream<Uint8Array>>> {
  if (source.bytes !== null) return done(source.bytes);
  if (source.stream !== undefined) return done(source.stream);
  return openBlob(env, mailbox, { key: source.key });
}

/** A blob, or a range of it, as a stream. */
export async function openBlob(
  env: Env,
  mailbox: MailboxStub,
  blob: { key: string | null; offset?: number; length?: number },
): Promise<Answer<ReadableStream<Uint8Array>>> {
  const unavailable = refused(UNREADABLE);
  const { key, offset, length } = blob;
  if (key === null) return unavailable;
  const range = offset === undefined || length === undefined ? undefined : { offset, length };
  try {
    const stream = await blobsForReading(env, mailbox, key).get(key, range);
    return stream === null ? unavailable : done(stream);
  } catch (error) {
    console.error("A blob could not be read:", error);
    return unavailable;
  }
}

/** A stored message, to be read again. 503 if the store cannot deliver it; its bytes throw if they break off. */
export async function storedMessage(
  env: Env,
  mailbox: MailboxStub,
  source: RawSource,
): Promise<Answer<Arriving>> {
  const opened = await openRaw(env, mailbox, source);
  if (!opened.ok) return opened;
  const { value } = opened;
  if (value instanceof ArrayBuffer) return done(arrivingFrom(new Uint8Array(value)));
  try {
    return done(await arriving(inTimeEach(streamBytes(value)), source.sizeBytes));
  } catch (error) {
    console.error("A blob could not be read:", error);
    return refused(UNREADABLE);
  }
}

/** The pieces of a blob. Throws if the bucket does not give the next one in time. */
async function* inTimeEach(pieces: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      const next = await inTime(pieces.next(), BUCKET_TIMEOUT_MS);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: it would wait for a bucket that does not answer.
    void pieces.return().catch(() => {});
  }
}

/** The whole raw message in memory: at most MAX_MESSAGE_BYTES. */
export async function readRaw(
  env: Env,
  mailbox: MailboxStub,
  source: RawSource,
): Promise<Answer<Uint8Array>> {
  const opened = await openRaw(env, mailbox, source);
  if (!opened.ok) return opened;
  const { value } = opened;
  if (value instanceof ArrayBuffer) return done(new Uint8Array(value));
  try {
    return done(new Uint8Array(await inTime(new Response(value).arrayBuffer())));
  } catch (error) {
    console.error("A blob could not be read to its end:", error);
    return refused(UNREADABLE);
  }
}

/** A mailbox, and the access of the caller who acts on it. */
export interface MailboxAccess {
  env: Env;
  mailbox: MailboxStub;
  access: Access;
}

/** The JSON of an email: text, or a stream of it where its texts are large. */
export function openEmail(to: MailboxAccess, email: EmailAnswer): string | ReadableStream<Uint8Array> {
  return email.large === null ? withNewText(email.text) : streamOf(piecesOfEmail(to, email));
}

/** The JSON of an email piece by piece; a piece is valid until the next is asked for. */
export async function* piecesOfEmail(
  { mailbox }: MailboxAccess,
  { text, large }: EmailAnswer,
): AsyncGenerator<string | Uint8Array, void> {
  if (large === null) {
    yield withNewText(text);
    return;
  }
  const { key, layout } = large;
  yield `${text.slice(0, -1)},`;
  yield* rangeOf(mailbox, key, { from: 0, to: layout.members });
  yield ',"text_new":';
  yield* rangeOf(mailbox, key, layout.fresh);
  yield "}";
}

/** An email as it is, its texts in memory: at most MAX_BODY_BYTES each. */
export async function wholeEmail(to: MailboxAccess, email: EmailAnswer): Promise<Email> {
  return new Response(openEmail(to, email)).json();
}

/** The first characters of an email's texts. */
export async function textsOf(
  { mailbox }: MailboxAccess,
  { text, large }: EmailAnswer,
  { textChars, htmlChars }: { textChars: number; htmlChars: number },
): Promise<{ text: string; html: string }> {
  if (large === null) {
    const email = ownJson<Email>(text);
    return { text: email.body_text.slice(0, textChars), html: email.body_html.slice(0, htmlChars) };
  }
  const { key, layout } = large;
  return {
    text: await startOf(mailbox, key, layout.text, textChars),
    html: await startOf(mailbox, key, layout.html, htmlChars),
  };
}

async function startOf(mailbox: MailboxStub, key: string, { from, to }: ByteSpan, chars: number) {
  const decoder = new TextDecoder();
  let literal = "";
  // Most characters are one byte of JSON, some up to six: so much more is read only where it is needed.
  for (let at = from; ;) {
    const end = Math.min(to, at + chars + 1);
    // The decoder keeps the beginning of a character that a range cuts.
    for await (const piece of rangeOf(mailbox, key, { from: at, to: end }))
      literal += decoder.decode(piece, { stream: true });
    const value = ownJson<string>(end === to ? literal : closedLiteral(literal));
    if (end === to || value.length >= chars) return value.slice(0, chars).toWellFormed();
    at = end;
  }
}

/** A range of a blob in rows. */
async function* rangeOf(
  mailbox: MailboxStub,
  key: string,
  { from, to }: ByteSpan,
): AsyncGenerator<Uint8Array, void> {
  const stream = await rowsOf(mailbox).get(key, { offset: from, length: to - from });
  if (stream === null) throw new Error("The texts of a message were erased while they were read");
  yield* stream;
}

/** Small texts are gathered until they have this many characters. */
const MIN_PIECE_CHARS = 65_536;

/**
 * A stream of pieces, each made when the reader asks for it. With `unreadMs` it breaks off if the reader takes nothing for so
 * long.
 */
export function streamOf(
  pieces: AsyncGenerator<string | Uint8Array, void>,
  unreadMs: number | null = null,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let limit: ReturnType<typeof setTimeout> | undefined;
  /** Passes the next pieces on; false at their end. */
  const pass = async (to: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> => {
    let text = "";
    while (text.length < MIN_PIECE_CHARS) {
      const { done: isOver, value } = await pieces.next();
      if (typeof value === "string") {
        text += value;
        continue;
      }
      if (text !== "") to.enqueue(encoder.encode(text));
      if (value !== undefined) to.enqueue(value);
      return isOver !== true;
    }
    to.enqueue(encoder.encode(text));
    return true;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(limit);
        if (!(await pass(controller))) return controller.close();
        if (unreadMs === null) return;
        limit = setTimeout(() => {
          controller.error(new Error("The client reads nothing"));
          void pieces.return().catch(() => {});
        }, unreadMs);
      },
      async cancel() {
        clearTimeout(limit);
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Adds `text_new`. Its rules change, so it is computed at each read, and stored only with large texts. */
function withNewText(email: string): string {
  const body = stringMember(email, "body_text");
  const text = body.value();
  const fresh = newText(text, stringMember(email, "subject").value());
  const literal = fresh === text ? email.slice(body.start, body.end) : JSON.stringify(fresh);
  return `${email.slice(0, -1)},"text_new":${literal}}`;
}

/** The attachments of a message, in its order. */
export type Parts = readonly Uint8Array[];

/** The attachments of a small message, cut from its raw bytes: they are not stored a second time. */
export async function partsOf({ env, mailbox }: MailboxAccess, raw: RawSource): Promise<Answer<Parts>> {
  const message = await readRaw(env, mailbox, raw);
  if (!message.ok) return message;
  const { attachments } = await parseMail(message.value);
  return done(attachments.map(({ content }) => content));
}

/**
 * A range of an attachment: decoded from its place in a large message, from the blob of parts of one that an earlier release
 * stored, or from a small message, which `cut` cuts into parts.
 */
export async function openPart(
  to: MailboxAccess,
  source: AttachmentSource,
  { start, end }: { start: number; end: number },
  cut: (source: AttachmentSource) => Promise<Answer<Parts>> = ({ raw }) =>
    raw === null ? Promise.resolve(refused(notFound("Attachment"))) : partsOf(to, raw),
): Promise<Answer<BodyInit>> {
  const { stored, part, partsKey } = source;
  if (stored.place !== undefined) return openPlace(to, source, stored.place, { from: start, to: end });
  if (stored.offset !== null) {
    const range = { offset: stored.offset + start, length: end - start };
    return openBlob(to.env, to.mailbox, { key: partsKey, ...range });
  }
  const parts = await cut(source);
  if (!parts.ok) return parts;
  const content = parts.value[part];
  return content === undefined ? refused(notFound("Attachment")) : done(content.slice(start, end));
}

async function openPlace(
  to: MailboxAccess,
  source: AttachmentSource,
  place: FilePlace,
  range: ByteSpan,
): Promise<Answer<BodyInit>> {
  if (place.headerFrom !== undefined)
    return openConverted(to, source, { ...place, from: place.headerFrom }, range);
  const { encoding } = place;
  const encoded = await openSpan(to, source, encodedSpan({ span: place, encoding }, range));
  if (!encoded.ok || encoding === "") return encoded;
  return done(streamOf(copies(decodedRange(streamBytes(encoded.value), encoding, range))));
}

function openSpan(
  { env, mailbox }: MailboxAccess,
  { raw }: AttachmentSource,
  { from, to }: ByteSpan,
): Promise<Answer<ReadableStream<Uint8Array>>> {
  return openBlob(env, mailbox, { key: raw?.key ?? null, offset: from, length: to - from });
}

/** A range of an iCalendar file that was turned into UTF-8: its part is parsed again. */
async function openConverted(
  to: MailboxAccess,
  source: AttachmentSource,
  part: ByteSpan,
  range: ByteSpan,
): Promise<Answer<BodyInit>> {
  const encoded = await openSpan(to, source, part);
  if (!encoded.ok) return encoded;
  const bytes = new Uint8Array(await inTime(new Response(encoded.value).arrayBuffer()));
  const [only, ...others] = (await parseMail(bytes)).attachments;
  const isSame = only !== undefined && others.length === 0 && only.sizeBytes === source.stored.sizeBytes;
  const content = isSame ? done(only.content) : await cutFromWhole(to, source);
  return content.ok ? done(content.value.slice(range.from, range.to)) : content;
}

/** An attachment, cut from the whole message: parts around it may say how it is read. */
async function cutFromWhole(to: MailboxAccess, { raw, part }: AttachmentSource): Promise<Answer<Uint8Array>> {
  const parts = raw === null ? refused(notFound("Attachment")) : await partsOf(to, raw);
  if (!parts.ok) return parts;
  const content = parts.value[part];
  return content === undefined ? refused(notFound("Attachment")) : done(content);
}

/** Each piece as a copy, because a stream holds it longer than it is valid. */
async function* copies(pieces: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) yield piece.slice();
}
