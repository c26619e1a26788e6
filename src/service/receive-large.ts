import type { BlobStore } from "../blobs/store.ts";
import type { Answer } from "../contract/problem.ts";
import { UNKNOWN_MAILBOX } from "../contract/problem.ts";
import { streamBytes } from "../lib/body-bytes.ts";
import { breath } from "../lib/breath.ts";
import { uuidV7 } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import { preparedFor, prepareRead, type Envelope, type Prepared } from "../mail/prepare.ts";
import type { ReadMail } from "../mail/read-mail.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import { PassingMessage } from "./arriving.ts";
import { blobsForWriting, MAX_ROW_BYTES, rowsOf } from "./blob-choice.ts";
import { mailboxBehind } from "./mailbox-stub.ts";
import { readWhilePassing } from "./passing-mail.ts";
import type { FindSender } from "./sender-check.ts";
import { eraseUnused, give, isMade, storeBody, withRetries, type Destination } from "./store-mail.ts";

/** A large message and who hands it over. */
export interface LargeMail {
  message: PassingMessage;
  /** Finds out who sent it. */
  sender: FindSender;
}

/** One of the mailboxes that a message is for. */
export interface Addressed {
  envelope: Envelope;
  to: Destination;
}

/** Room that a mailbox has reserved for a message. */
interface Place extends Addressed {
  blobs: BlobStore;
  rawKey: string;
  rows: BlobStore;
  bodyKey: string;
}

/** A message that lies in the blob store, and what was read of it. */
interface Stored {
  place: Place;
  read: ReadMail;
  prepared: Prepared;
}

/**
 * Stores a large message in mailboxes, in constant memory: it is read while it passes into the blob store of the first mailbox
 * that has room for it, and the others copy it from there. Each mailbox reserves its blobs before they are written, so that
 * the reservation erases what a crash leaves behind. The answers are in the order of the mailboxes.
 *
 * @param answerTo the answer for a mailbox where storing failed; if it throws, no further mailbox gets the message
 */
export async function receiveLarge(
  mail: LargeMail,
  mailboxes: readonly Addressed[],
  answerTo: (error: unknown) => Answer<Received>,
): Promise<Answer<Received>[]> {
  const answers: Answer<Received>[] = [];
  let first: { index: number; stored: Stored } | null = null;
  for (const [index, addressed] of mailboxes.entries()) {
    try {
      const place = await reserved(addressed, mail.message);
      if (!place.ok) answers[index] = place;
      else if (first === null) first = { index, stored: await storedWhilePassing(mail, place.value) };
      else answers[index] = await storedFrom(first.stored, place.value);
    } catch (error) {
      answers[index] = answerTo(error);
    }
  }
  if (first === null) return answers;
  const { index, stored } = first;
  // Last: a mailbox that does not need the message erases the blob that the others copy.
  answers[index] = await given(stored.place, stored.prepared).catch(answerTo);
  return answers;
}

/** As `receiveLarge`, for one mailbox. Throws if storing failed. */
export async function receiveLargeAt(mail: LargeMail, addressed: Addressed): Promise<Answer<Received>> {
  const [answer = refused(UNKNOWN_MAILBOX)] = await receiveLarge(mail, [addressed], (error) => {
    throw error;
  });
  return answer;
}

async function reserved({ envelope, to }: Addressed, { sizeBytes }: PassingMessage): Promise<Answer<Place>> {
  if (!(await isMade(to))) return refused(UNKNOWN_MAILBOX);
  const { env, locator } = to;
  const mailbox = mailboxBehind(env, locator);
  const [blobs, rows] = [blobsForWriting(env, mailbox), rowsOf(mailbox)];
  const rawKey = blobs.newKey(locator, uuidV7(Date.now()));
  const bodyKey = rows.newKey(locator, uuidV7(Date.now()));
  const room = await withRetries<Answer<null>>(async () =>
    mailboxBehind(env, locator).reserve([rawKey, bodyKey], sizeBytes ?? MAX_ROW_BYTES),
  );
  return room.ok ? done({ envelope, to, blobs, rawKey, rows, bodyKey }) : room;
}

async function storedWhilePassing({ message, sender }: LargeMail, place: Place): Promise<Stored> {
  const { read, check } = await readWhilePassing(message, sender, (pieces) =>
    place.blobs.write(place.rawKey, pieces),
  );
  // The largest texts take a tenth of a second.
  await breath();
  return { place, read, prepared: prepareRead(read, place.envelope, check) };
}

async function storedFrom({ place, read, prepared }: Stored, to: Place): Promise<Answer<Received>> {
  const stream = await place.blobs.get(place.rawKey);
  if (stream === null) throw new Error("The message to copy is gone");
  const copy = new PassingMessage(read.head, streamBytes(stream), read.sizeBytes);
  try {
    await to.blobs.write(to.rawKey, copy.pieces());
  } finally {
    await copy.close();
  }
  return given(to, preparedFor(to.envelope, { prepared, read }));
}

/** Gives a message to its mailbox, which has its bytes already. */
async function given(place: Place, prepared: Prepared): Promise<Answer<Received>> {
  const { to, blobs, rawKey, rows, bodyKey } = place;
  const mail = { ...(await storeBody(prepared, place)), raw: null, rawKey };
  return give(mail, to, () => eraseUnused([blobs, [rawKey]], [rows, [bodyKey]]));
}
