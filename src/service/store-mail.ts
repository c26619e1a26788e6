import type { Answer } from "../contract/problem.ts";
import { isKeptAsRefused } from "../contract/problem.ts";
import type { BlobStore } from "../blobs/store.ts";
import { wasMade } from "../lib/made.ts";
import type { Prepared } from "../mail/prepare.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import type { TakenMessage } from "../mailbox/takeover/takeover.ts";
import { mailboxBehind } from "./mailbox-stub.ts";
import type { SharedCalls } from "./shared-calls.ts";

/** The most calls of one delivery, if the platform says that a repeat may work. */
const MAX_TRIES = 3;

/** Where a message goes. */
export interface Destination {
  env: Env;
  locator: string;
  /** Where the message was in the mailbox that this one takes over. */
  taken?: TakenMessage;
  /** The id of the refused mail that is released. */
  released?: string;
  /** Takes messages without blobs, so that several share a call; undefined: each has a call of its own. */
  sharedCalls?: SharedCalls;
}

/** Whether the mailbox of a message was ever made. */
export function isMade({ env, locator }: Destination): Promise<boolean> {
  return withRetries(() => wasMade(env, "Mailbox", mailboxBehind(env, locator)));
}

/**
 * Gives a message to its mailbox. `unused` erases the blobs that were written for it, if the mailbox does not need them; if that
 * fails, their reservation erases them later.
 */
export async function give(
  mail: PreparedMail,
  { env, locator, taken, released, sharedCalls }: Destination,
  unused: () => Promise<void> = async () => {},
): Promise<Answer<Received>> {
  let tries = 0;
  const received = await withRetries<Answer<Received>>(async () => {
    tries += 1;
    if (sharedCalls !== undefined && !hasBlobs(mail)) return sharedCalls.add(locator, mail);
    return mailboxBehind(env, locator).receive(mail, taken, released);
  });
  // A repeat may be the duplicate of a call that stored the message, and whose answer was lost: then the blobs are in use.
  if (tries === 1 && isUnused(received)) await unused();
  return received;
}

const hasBlobs = ({ rawKey, bodyKey }: PreparedMail): boolean => rawKey !== null || bodyKey !== null;

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

/** Writes the texts that are too large for a row into rows of their own, from which a read streams them. */
export async function storeBody(
  { largeBody, ...prepared }: Prepared,
  { rows, bodyKey }: { rows: BlobStore; bodyKey: string },
): Promise<Omit<PreparedMail, "raw" | "rawKey">> {
  if (largeBody === null) return { ...prepared, bodyKey: null, bodyLayout: null, unusedKeys: [bodyKey] };
  await rows.write(bodyKey, largeBody.pieces());
  return { ...prepared, bodyKey, bodyLayout: JSON.stringify(largeBody.layout), unusedKeys: [] };
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
