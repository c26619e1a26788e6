import type { Answer } from "../contract/problem.ts";
import { UNKNOWN_MAILBOX } from "../contract/problem.ts";
import type { Config } from "../env.ts";
import { uuidV7 } from "../lib/ids.ts";
import { refused } from "../lib/outcome.ts";
import { canonicalAddress, trimmedAddress } from "../mail/address.ts";
import { parseMail } from "../mail/parse.ts";
import type { ParsedAttachment } from "../mail/parsed-mail.ts";
import { prepareMail, type Envelope, type Prepared } from "../mail/prepare.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Received } from "../mailbox/receiving.ts";
import type { KeptMessage } from "../mailbox/take-over.ts";
import type { BlobStore } from "../blobs/store.ts";
import { blobsForWriting, MAX_ROW_BYTES, rowsOf } from "./blob-choice.ts";
import { mailboxBehind } from "./mailbox-stub.ts";
import { locatorReached } from "./reached.ts";

/** Calls of one delivery at most, where the platform says that another may work. */
const MAX_TRIES = 3;

/** A recipient that can be a mailbox: the one form of its address, and how it was written. */
interface Recipient {
  canonical: string;
  written: string;
}

/**
 * The one way into a mailbox, whoever hands over: parse outside the actor, blob before row, one transaction, and only then
 * yes. Answers `Unknown mailbox` without a trace; throws where trying again may help.
 */
export async function receiveMail(
  raw: Uint8Array,
  envelope: Envelope,
  env: Env,
  config: Config,
): Promise<Answer<Received>> {
  const recipient = readRecipient(envelope.to);
  if (recipient === null) return refused(UNKNOWN_MAILBOX);
  const mail = { raw, envelope: { ...envelope, to: recipient.written }, authservId: config.authservId };
  const locator = await withRetries(() => locatorReached(recipient.canonical, env, config));
  if (isLarge(raw)) return withRetries(() => receiveLarge(mail, { env, locator }));
  const { prepared } = await read(mail);
  return withRetries(() => receiveSmall(raw, prepared, { env, locator }));
}

/** As `receiveMail`, for a message of a mailbox that is taken over by the one behind `to.locator`. */
export async function receiveKept(
  mail: Mail,
  to: { env: Env; locator: string; kept: KeptMessage },
): Promise<Answer<Received>> {
  if (isLarge(mail.raw)) return receiveLarge(mail, to);
  const { prepared } = await read(mail);
  return receiveSmall(mail.raw, prepared, to);
}

/** Whether a message is too large for a row of its mailbox. */
export function isLarge(raw: Uint8Array): boolean {
  return raw.byteLength > MAX_ROW_BYTES;
}

/** A message and who hands it over. */
export interface Mail {
  raw: Uint8Array;
  envelope: Envelope;
  authservId: string | null;
}

/** Parses a message and reads out of it what is stored. */
export async function read(
  mail: Mail,
): Promise<{ prepared: Prepared; attachments: readonly ParsedAttachment[] }> {
  const parsed = await parseMail(mail.raw);
  const prepared = prepareMail(mail.raw, parsed, mail.envelope, mail.authservId);
  return { prepared, attachments: parsed.attachments };
}

function readRecipient(to: string): Recipient | null {
  const canonical = canonicalAddress(to);
  const written = trimmedAddress(to);
  return canonical === null || written === null ? null : { canonical, written };
}

/** Where a message goes. */
interface Destination {
  env: Env;
  locator: string;
  kept?: KeptMessage;
}

/** A message that fits a row; its texts may not, for in JSON they take up to six times as much. */
async function receiveSmall(
  raw: Uint8Array,
  prepared: Prepared,
  { env, locator, kept }: Destination,
): Promise<Answer<Received>> {
  const mailbox = mailboxBehind(env, locator);
  const inRow = { raw: exactBuffer(raw), rawKey: null, partsKey: null };
  const { largeBody, ...rest } = prepared;
  if (largeBody === null) {
    return mailbox.receive({ ...rest, ...inRow, bodyKey: null, bodyLayout: null, unusedKeys: [] }, kept);
  }
  const rows = rowsOf(mailbox);
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([bodyKey], raw.byteLength);
  if (!reserved.ok) return reserved;
  const stored = await storeBody(prepared, { rows, bodyKey });
  const received = await mailbox.receive({ ...stored, ...inRow }, kept);
  if (!received.ok || received.value.duplicate) await rows.delete([bodyKey]);
  return received;
}

/**
 * Reserves before it costs anything, writes the blobs, then the rows. What a crash leaves behind, the reservation erases.
 */
async function receiveLarge(mail: Mail, { env, locator, kept }: Destination): Promise<Answer<Received>> {
  const mailbox = mailboxBehind(env, locator);
  const blobs = blobsForWriting(env, mailbox);
  const rows = rowsOf(mailbox);
  const rawKey = blobs.newKey(locator, uuidV7(Date.now()));
  const partsKey = blobs.newKey(locator, uuidV7(Date.now()));
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const reserved = await mailbox.reserve([rawKey, partsKey, bodyKey], mail.raw.byteLength);
  if (!reserved.ok) return reserved;
  await blobs.put(rawKey, [mail.raw]);
  const { prepared, attachments } = await read(mail);
  const withBody = await storeBody(prepared, { rows, bodyKey });
  const stored = await storeParts(withBody, attachments, { blobs, partsKey });
  const received = await mailbox.receive({ ...stored, raw: null, rawKey }, kept);
  // A mailbox that ended meanwhile took the reservation with it; one that had the message already needs no second copy.
  if (!received.ok || received.value.duplicate) {
    await blobs.delete([rawKey, partsKey]);
    await rows.delete([bodyKey]);
  }
  return received;
}

/** A message whose texts are where they stay. */
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

/** Tries again only what the platform marks as safe to: a delivery repeated by mistake is one row, by its Message-ID. */
async function withRetries<T>(deliver: () => Promise<T>): Promise<T> {
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
