import { inTime } from "../blobs/bucket-call.ts";
import { notFound, type Answer, type Problem } from "../contract/problem.ts";
import { stringMember } from "../lib/json-text.ts";
import { done, refused } from "../lib/outcome.ts";
import { newText } from "../mail/new-text.ts";
import { parseMail } from "../mail/parse.ts";
import { bodyJson } from "../mail/prepare.ts";
import type { Access } from "../mailbox/access.ts";
import type { AttachmentSource, EmailAnswer, RawSource } from "../mailbox/reading.ts";
import { blobsForReading } from "../inbound/blob-choice.ts";
import type { MailboxStub } from "./call.ts";

const UNREADABLE: Problem = {
  code: "unavailable",
  error: "The stored message cannot be read now; try again",
  retryAfterSeconds: 5,
};

/** Reads the bytes of a raw message: the row's, or a stream out of the blob store. 503 where the store has lost or refuses it. */
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

/** What reading a message takes besides its id. */
export interface Asked {
  env: Env;
  mailbox: MailboxStub;
  access: Access;
}

/** The JSON of an email, its body read out of the raw message where that is too large for a row. */
export async function completeEmail(asked: Asked, email: EmailAnswer): Promise<Answer<string>> {
  const text = email.bodyInRaw ? await withBody(asked, email) : done(email.text);
  return text.ok ? done(withNewText(text.value)) : text;
}

/** What is new of the text is told by rules that change, so it is read each time and stored nowhere. */
function withNewText(email: string): string {
  const body = stringMember(email, "body_text");
  const text = body.value();
  const fresh = newText(text, stringMember(email, "subject").value());
  const literal = fresh === text ? email.slice(body.start, body.end) : JSON.stringify(fresh);
  return `${email.slice(0, -1)},"text_new":${literal}}`;
}

async function withBody(asked: Asked, email: EmailAnswer): Promise<Answer<string>> {
  const source = await asked.mailbox.raw(asked.access, email.id);
  if (!source.ok) return refused(source.error);
  const raw = await readRaw(asked.env, asked.mailbox, source.value);
  if (!raw.ok) return raw;
  const body = bodyJson(await parseMail(raw.value));
  return done(`${email.text.slice(0, -1)},${body.slice(1)}`);
}

/** Attachments of a message, by their place in it. */
export type Parts = readonly Uint8Array[];

/** The attachments of a small message, which are not stored again beside it. */
export async function partsOf({ env, mailbox }: Asked, raw: RawSource): Promise<Answer<Parts>> {
  const message = await readRaw(env, mailbox, raw);
  if (!message.ok) return message;
  const { attachments } = await parseMail(message.value);
  return done(attachments.map(({ content }) => content));
}

/** A range of the blob of parts, or of the part cut from a raw message that is small, by `cut`. */
export async function openPart(
  asked: Asked,
  source: AttachmentSource,
  { start, end }: { start: number; end: number },
  cut: (source: AttachmentSource) => Promise<Answer<Parts>> = ({ raw }) =>
    raw === null ? Promise.resolve(refused(notFound("Attachment"))) : partsOf(asked, raw),
): Promise<Answer<BodyInit>> {
  const { stored, part, partsKey } = source;
  if (stored.offset !== null) {
    const range = { offset: stored.offset + start, length: end - start };
    return openBlob(asked.env, asked.mailbox, { key: partsKey, ...range });
  }
  const parts = await cut(source);
  if (!parts.ok) return parts;
  const content = parts.value[part];
  return content === undefined ? refused(notFound("Attachment")) : done(content.slice(start, end));
}
