import type { Answer } from "../contract/problem.ts";
import { isKeptAsRefused, UNKNOWN_MAILBOX } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { breath } from "../lib/breath.ts";
import { uuidV7 } from "../lib/ids.ts";
import { refused } from "../lib/outcome.ts";
import { canonicalAddress, trimmedAddress } from "../mail/address/address.ts";
import { parseMail } from "../mail/mime/parse.ts";
import type { ParsedAttachment, ParsedMail } from "../mail/mime/parsed-mail.ts";
import { preparedFor, prepareMail, type Envelope, type Prepared } from "../mail/prepare.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import type { TakenMessage } from "../mailbox/takeover/takeover.ts";
import type { BlobStore } from "../blobs/store.ts";
import { blobsForWriting, MAX_ROW_BYTES, rowsOf } from "./blob-choice.ts";
import { wasMade } from "../lib/made.ts";
import { mailboxBehind } from "./mailbox-stub.ts";
import { locatorReached } from "./reached.ts";
import type { FindSender } from "./sender-check.ts";

/** The most calls of one delivery, if the platform says that a repeat may work. */
const MAX_TRIES = 3;

/** A recipient: its address in canonical form, and as it was written. */
export interface Recipient {
  canonical: string;
  written: string;
}

/**
 * Stores a message in the mailbox of its recipient; every transport ends here. It parses outside the actor, writes blobs before
 * rows, and answers after one transaction. An unknown mailbox leaves no trace. Throws if a repeat may succeed.
 */
export async function receiveMail(
  mail: Mail,
  { env, config }: { env: Env; config: Config },
): Promise<Answer<Received>> {
  return receiveBy(read, mail, { env, config });
}

/** As `receiveMail`, for a message that several mailboxes store: they share one `reading`. */
export async function receiveBy(
  reading: Reading,
  { raw, envelope, sender }: Mail,
  { env, config }: { env: Env; config: Config },
): Promise<Answer<Received>> {
  const recipient = readRecipient(envelope.to);
  if (recipient === null) return refused(UNKNOWN_MAILBOX);
  const mail = { raw, envelope: { ...envelope, to: recipient.written }, sender };
  const locator = await withRetries(() => locatorReached(recipient.canonical, env, config));
  return store(mail, { env, locator }, reading);
}

/** Stores a message in the mailbox behind `to.locator`; `reading` parses it. */
export async function store(mail: Mail, to: Destination, reading: Reading): Promise<Answer<Received>> {
  const isMade = await withRetries(() => wasMade(to.env, "Mailbox", mailboxBehind(to.env, to.locator)));
  if (!isMade) return refused(UNKNOWN_MAILBOX);
  if (isLarge(mail.raw)) return withRetries(() => receiveLarge(mail, to, reading));
  const { prepared } = await reading(mail);
  return withRetries(() => receiveSmall(mail.raw, prepared, to));
}

/** As `receiveMail`, for a message of a temporary mailbox that the mailbox behind `to.locator` takes over. */
export async function receiveTaken(
  mail: Mail,
  to: { env: Env; locator: string; taken: TakenMessage },
): Promise<Answer<Received>> {
  if (isLarge(mail.raw)) return receiveLarge(mail, to, read);
  const { prepared } = await read(mail);
  return receiveSmall(mail.raw, prepared, to);
}

/** As `receiveMail`, for a refused mail of the mailbox behind `to.locator` that its owner releases. */
export async function receiveReleased(
  mail: Mail,
  to: { env: Env; locator: string; released: string },
): Promise<Answer<Received>> {
  if (isLarge(mail.raw)) return withRetries(() => receiveLarge(mail, to, read));
  const { prepared } = await read(mail);
  return withRetries(() => receiveSmall(mail.raw, prepared, to));
}

/** Whether a message is too large for a row of its mailbox. */
export function isLarge(raw: Uint8Array): boolean {
  return raw.byteLength > MAX_ROW_BYTES;
}

/** A message and who hands it over. */
export interface Mail {
  raw: Uint8Array;
  envelope: Envelope;
  /** Finds out who sent it. */
  sender: FindSender;
}

/** Parses a message: for one mailbox, or once for several. */
export type Reading = (
  mail: Mail,
) => Promise<{ prepared: Prepared; attachments: readonly ParsedAttachment[] }>;

/** Parses a message and prepares what is stored of it. */
export async function read(mail: Mail): ReturnType<Reading> {
  return withParts(await parse(mail));
}

/** A `read` for one message and several mailboxes: it parses the message once. */
export function readOnce(): Reading {
  let first: ReturnType<typeof parse> | null = null;
  return async (mail) => {
    if (first === null) return withParts(await (first = parse(mail)));
    const known = await first;
    return withParts({ ...known, prepared: preparedFor(mail.envelope, known) });
  };
}

async function parse(mail: Mail): Promise<{ prepared: Prepared; parsed: ParsedMail }> {
  const [parsed, check] = await Promise.all([parseMail(mail.raw), mail.sender()]);
  // For the largest messages each of the two takes a tenth of a second.
  if (isLarge(mail.raw)) await breath();
  return { prepared: prepareMail(mail.raw, parsed, mail.envelope, check), parsed };
}

function withParts({ prepared, parsed }: { prepared: Prepared; parsed: ParsedMail }) {
  return { prepared, attachments: parsed.attachments };
}

/** Reads an envelope recipient; null for a text that is no address. */
export function readRecipient(to: string): Recipient | null {
  const canonical = canonicalAddress(to);
  const written = trimmedAddress(to);
  return canonical === null || written === null ? null : { canonical, written };
}

/** Where a message goes. */
interface Destination {
  env: Env;
  locator: string;
  taken?: TakenMessage;
  /** The id of the refused mail that is released. */
  released?: string;
}

/** Stores a message that fits a row. Its texts may not fit one: in JSON they can be six times as long. */
async function receiveSmall(
  raw: Uint8Array,
  prepared: Prepared,
  { env, locator, taken, released }: Destination,
): Promise<Answer<Received>> {
  const mailbox = mailboxBehind(env, locator);
  const inRow = { raw: exactBuffer(raw), rawKey: null, partsKey: null };
  const { largeBody, ...rest } = prepared;
  if (largeBody === null) {
    return mailbox.receive(
      { ...rest, ...inRow, bodyKey: null, bodyLayout: null, unusedKeys: [] },
      taken,
      released,
    );
  }
  const rows = rowsOf(mailbox);
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([bodyKey], raw.byteLength);
  if (!reserved.ok) return reserved;
  const stored = await storeBody(prepared, { rows, bodyKey });
  const received = await mailbox.receive({ ...stored, ...inRow }, taken, released);
  if (isUnused(received)) await eraseUnused([rows, [bodyKey]]);
  return received;
}

/**
 * Stores a large message: reserves its blobs, writes them, then the rows. If a crash leaves blobs behind, the reservation erases
 * them.
 */
async function receiveLarge(
  mail: Mail,
  { env, locator, taken, released }: Destination,
  reading: Reading,
): Promise<Answer<Received>> {
  const mailbox = mailboxBehind(env, locator);
  const blobs = blobsForWriting(env, mailbox);
  const rows = rowsOf(mailbox);
  const rawKey = blobs.newKey(locator, uuidV7(Date.now()));
  const partsKey = blobs.newKey(locator, uuidV7(Date.now()));
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([rawKey, partsKey, bodyKey], mail.raw.byteLength);
  if (!reserved.ok) return reserved;
  await blobs.put(rawKey, [mail.raw]);
  const { prepared, attachments } = await reading(mail);
  const withBody = await storeBody(prepared, { rows, bodyKey });
  const stored = await storeParts(withBody, attachments, { blobs, partsKey });
  const received = await mailbox.receive({ ...stored, raw: null, rawKey }, taken, released);
  if (isUnused(received)) {
    await eraseUnused([blobs, [rawKey, partsKey]], [rows, [bodyKey]]);
  }
  return received;
}

/** Whether the mailbox does not need the blobs of a message. It erases those of a mail that its rules refuse by itself. */
function isUnused(received: Answer<Received>): boolean {
  return received.ok ? received.value.duplicate : !isKeptAsRefused(received.error);
}

/** Erases blobs of a message that was refused or is a duplicate. If that fails, the reservation erases them later. */
export async function eraseUnused(...unused: (readonly [BlobStore, string[]])[]): Promise<void> {
  for (const [store, keys] of unused) {
    await store
      .delete(keys)
      .catch((error: unknown) => console.error("Blobs that no message uses are erased later:", error));
  }
}

/** A message whose large texts are stored. */
type WithBody = Omit<PreparedMail, "raw" | "rawKey" | "partsKey">;

/** Writes the texts that are too large for a row into rows of their own, from which a read streams them. */
export async function storeBody(
  { largeBody, ...prepared }: Prepared,
  { rows, bodyKey }: { rows: BlobStore; bodyKey: string },
): Promise<WithBody> {
  if (largeBody === null) return { ...prepared, bodyKey: null, bodyLayout: null, unusedKeys: [bodyKey] };
  await rows.write(bodyKey, largeBody.pieces());
  return { ...prepared, bodyKey, bodyLayout: JSON.stringify(largeBody.layout), unusedKeys: [] };
}

/** Writes the attachments of a large message end to end into one blob: each is a range of it. They are decoded on the way. */
export async function storeParts(
  prepared: WithBody,
  parts: readonly ParsedAttachment[],
  to: { blobs: BlobStore; partsKey: string },
): Promise<WithBody & Pick<PreparedMail, "partsKey">> {
  if (parts.length === 0) {
    return { ...prepared, partsKey: null, unusedKeys: [...prepared.unusedKeys, to.partsKey] };
  }
  await to.blobs.write(to.partsKey, piecesOf(parts));
  let end = 0;
  const attachments = prepared.attachments.map((attachment) => {
    const offset = end;
    end += attachment.sizeBytes;
    return { ...attachment, offset };
  });
  return { ...prepared, attachments, partsKey: to.partsKey };
}

function* piecesOf(parts: readonly ParsedAttachment[]): Generator<Uint8Array> {
  for (const part of parts) yield* part.pieces();
}

/** The bytes as a buffer of their own, copied only if they are a part of a larger one. */
function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? buffer
    : bytes.slice().buffer;
}

/** Repeats a call if the platform marks its error as retryable. A repeated delivery is stored once, by its Message-ID. */
export async function withRetries<T>(deliver: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await deliver();
    } catch (error) {
      if (attempt === MAX_TRIES || !isRetryable(error)) throw error;
    }
  }
}

function isRetryable(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const overloaded = "overloaded" in error && error.overloaded === true;
  return "retryable" in error && error.retryable === true && !overloaded;
}
