import type { Answer } from "../contract/problem.ts";
import { UNKNOWN_MAILBOX } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { uuidV7 } from "../lib/ids.ts";
import { refused } from "../lib/outcome.ts";
import { canonicalAddress, trimmedAddress } from "../mail/address/address.ts";
import { parseMail } from "../mail/mime/parse.ts";
import { preparedFor, prepareRead, type Envelope, type Prepared } from "../mail/prepare.ts";
import { readWhole, type ReadMail } from "../mail/read-mail.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import type { TakenMessage } from "../mailbox/takeover/takeover.ts";
import { isWhole, type Arriving, type WholeMessage } from "./arriving.ts";
import { rowsOf } from "./blob-choice.ts";
import { mailboxBehind } from "./mailbox-stub.ts";
import { locatorReached } from "./reached.ts";
import { receiveLargeAt, type Addressed } from "./receive-large.ts";
import { foundIn, type FindSender } from "./sender-check.ts";
import { eraseUnused, give, isMade, storeBody, withRetries, type Destination } from "./store-mail.ts";

/** A recipient: its address in canonical form, and as it was written. */
export interface Recipient {
  canonical: string;
  written: string;
}

/** A message and who hands it over. */
export interface Mail {
  message: Arriving;
  envelope: Envelope;
  /** Finds out who sent it. */
  sender: FindSender;
}

/** A message that is held whole. */
export type SmallMail = Mail & { message: WholeMessage };

/**
 * Stores a message in the mailbox of its recipient; every transport ends here. It reads the message outside the actor, writes blobs
 * before rows, and answers after one transaction. An unknown mailbox leaves no trace. Throws if a repeat may succeed.
 */
export async function receiveMail(
  { message, envelope, sender }: Mail,
  by: { env: Env; config: Config },
): Promise<Answer<Received>> {
  const addressed = await addressedTo(envelope, by);
  if (addressed === null) return refused(UNKNOWN_MAILBOX);
  return receiveAt({ message, envelope: addressed.envelope, sender }, addressed.to);
}

/** Finds the mailbox that the recipient of an envelope reaches; it need not exist. Null for a recipient that is no address. */
export async function addressedTo(
  envelope: Envelope,
  { env, config }: { env: Env; config: Config },
): Promise<Addressed | null> {
  const recipient = readRecipient(envelope.to);
  if (recipient === null) return null;
  const locator = await withRetries(() => locatorReached(recipient.canonical, env, config));
  return { envelope: { ...envelope, to: recipient.written }, to: { env, locator } };
}

/** As `receiveMail`, for a message of a temporary mailbox that the mailbox behind `to.locator` takes over. */
export function receiveTaken(
  mail: Mail,
  to: { env: Env; locator: string; taken: TakenMessage },
): Promise<Answer<Received>> {
  return receiveAt(mail, to);
}

/** As `receiveMail`, for a refused mail of the mailbox behind `to.locator` that its owner releases. */
export function receiveReleased(
  mail: Mail,
  to: { env: Env; locator: string; released: string },
): Promise<Answer<Received>> {
  return receiveAt(mail, to);
}

async function receiveAt(mail: Mail, to: Destination): Promise<Answer<Received>> {
  const { message, envelope, sender } = mail;
  return isWhole(message)
    ? store({ message, envelope, sender }, to, read)
    : receiveLargeAt({ message, sender }, { envelope, to });
}

/** Stores a message that is held whole in the mailbox behind `to.locator`; `reading` parses it. */
export async function store(mail: SmallMail, to: Destination, reading: Reading): Promise<Answer<Received>> {
  if (!(await isMade(to))) return refused(UNKNOWN_MAILBOX);
  return receiveSmall(mail.message, await reading(mail), to);
}

/** Parses a message: for one mailbox, or once for several. */
export type Reading = (mail: SmallMail) => Promise<Prepared>;

/** Parses a message and prepares what is stored of it. */
export async function read(mail: SmallMail): Promise<Prepared> {
  return (await parse(mail)).prepared;
}

/** A `read` for one message and several mailboxes: it parses the message once. */
export function readOnce(): Reading {
  let first: ReturnType<typeof parse> | null = null;
  return async (mail) => {
    if (first === null) return (await (first = parse(mail))).prepared;
    return preparedFor(mail.envelope, await first);
  };
}

async function parse({
  message,
  envelope,
  sender,
}: SmallMail): Promise<{ prepared: Prepared; read: ReadMail }> {
  const { raw } = message;
  const [parsed, check] = await Promise.all([parseMail(raw), foundIn(raw, sender)]);
  const whole = readWhole(raw, parsed);
  return { prepared: prepareRead(whole, envelope, check), read: whole };
}

/** Reads an envelope recipient; null for a text that is no address. */
export function readRecipient(to: string): Recipient | null {
  const canonical = canonicalAddress(to);
  const written = trimmedAddress(to);
  return canonical === null || written === null ? null : { canonical, written };
}

/** Stores a message that fits a row. Its texts may not fit one: in JSON they can be six times as long. */
async function receiveSmall(
  { raw }: WholeMessage,
  prepared: Prepared,
  to: Destination,
): Promise<Answer<Received>> {
  const inRow = { raw: exactBuffer(raw), rawKey: null };
  const { largeBody, ...rest } = prepared;
  if (largeBody === null) {
    return give({ ...rest, ...inRow, bodyKey: null, bodyLayout: null, unusedKeys: [] }, to);
  }
  const mailbox = mailboxBehind(to.env, to.locator);
  const rows = rowsOf(mailbox);
  const bodyKey = rows.newKey(to.locator, uuidV7(Date.now()));
  const reserved = await withRetries<Answer<null>>(async () =>
    mailboxBehind(to.env, to.locator).reserve([bodyKey], raw.byteLength),
  );
  if (!reserved.ok) return reserved;
  const stored = await storeBody(prepared, { rows, bodyKey });
  return give({ ...stored, ...inRow }, to, () => eraseUnused([rows, [bodyKey]]));
}

/** The bytes as a buffer of their own, copied only if they are a part of a larger one. */
function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? buffer
    : bytes.slice().buffer;
}
