import { randomBytes } from "node:crypto";
import { invalid, type Answer, type Problem } from "../contract/problem.ts";
import { readId, type Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { Ancestry } from "../mail/compose/answered-mail.ts";
import {
  outgoing,
  type Draft,
  type DraftFile,
  type Outgoing,
  type OutgoingMessage,
  type Sender,
} from "../mail/compose/outgoing.ts";
import { prepareOutgoing } from "../mail/compose/prepare-outgoing.ts";
import { mintToken, returnPathWith, TOKEN_BYTES } from "../mail/address/return-path.ts";
import type { Account } from "./account.ts";
import { tooLargeToCarry } from "./carried-size.ts";
import { fileOutgoing } from "./ingest.ts";
import type { Addressee, Outbox, Way } from "./outbox.ts";
import * as statements from "./statements.ts";
import { findUpload, useUploads } from "./uploads.ts";

/** What an Idempotency-Key protects: the same key and body within a day answer the same, and send once. */
export interface Keyed {
  key: string;
  /** Of the whole request: the same key with another is refused. */
  digest: string;
}

/** A file of a message: an upload, and what the request says of it; "" for what it does not say. */
export interface FileWish {
  /** Id. */
  upload: string;
  filename: string;
  content_type: string;
  content_id: string;
}

/** A request to send, its shape checked; what it may say the mailbox judges. */
export interface SendRequest {
  draft: Omit<Draft, "attachments">;
  files: readonly FileWish[];
  ancestry: Ancestry;
  /** Id of an email whose thread the message joins where no Message-ID leads there; null for none. */
  answered: string | null;
  keyed: Keyed | null;
}

/** Of the Message-ID, in hex: nobody guesses one, and no two are alike. */
const MESSAGE_ID_BYTES = 20;
const KEY_LIFETIME_MS = 86_400_000;
const DAY_MS = 86_400_000;

/** What accepting needs. */
export interface AcceptTools {
  db: Database;
  outbox: Outbox;
  account: Account;
  /** Those of the mailbox, and how they stand. */
  domains: Sender["domains"];
  dailySendLimit: number;
  wayTo: (address: string) => Way;
  /** Bytes of the largest composed message that each way carries. */
  largest: Readonly<Record<Way, number>>;
  /** Bytes that the mailbox still takes, and the refusal of more. */
  room: { bytes: number; full: Problem };
}

/** A message that was accepted now, or before under the same key. */
export interface Accepted {
  seq: Seq;
  replayed: boolean;
}

/**
 * Takes a message over: from here on it is sent, or its sender learns why not. Runs inside one transaction: the message, its
 * recipients, the day's count and the key, or nothing.
 */
export function accept(tools: AcceptTools, request: SendRequest, nowMs: number): Answer<Accepted> {
  const { db, outbox, account } = tools;
  const { keyed } = request;
  const earlier = keyed === null ? done(null) : acceptedBefore(outbox, keyed, nowMs);
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return done({ seq: earlier.value, replayed: true });
  const files = filesOf(db, request.files, nowMs);
  if (!files.ok) return files;
  const sender = {
    mailbox: account.row.address,
    displayName: account.row.display_name ?? "",
    domains: tools.domains,
  };
  const minted = { token: randomBytes(MESSAGE_ID_BYTES).toString("hex"), nowMs, automatic: null };
  const draft = { ...request.draft, attachments: files.value };
  const composed = outgoing(draft, request.ancestry, sender, minted);
  if (!composed.ok) return composed;
  const { message, recipients } = composed.value;
  const addressees = recipients.map((address) => ({ address, way: tools.wayTo(address) }));
  const tooLarge = tooLargeToCarry(message, addressees, tools.largest);
  if (tooLarge !== null) return refused(tooLarge);
  const hindrance = hindranceOf(tools, recipients, nowMs);
  if (hindrance !== null) return hindrance;
  const sizeBytes = keptBytes(message, recipients);
  if (sizeBytes > tools.room.bytes) return refused(tools.room.full);
  const uploads = request.files.map(({ upload }) => upload);
  const thread = threadOf(db, account, request.answered);
  const seq = write(tools, { ...composed.value, addressees, sizeBytes, uploads, thread }, nowMs);
  if (keyed !== null) {
    outbox.keepKey(keyed.key, { digest: keyed.digest, seq }, { nowMs, sinceMs: nowMs - KEY_LIFETIME_MS });
  }
  return done({ seq, replayed: false });
}

/** Writes a message that may go out. */
function write(
  { db, outbox, account }: AcceptTools,
  departing: Outgoing & {
    addressees: readonly Addressee[];
    sizeBytes: number;
    uploads: string[];
    thread: Seq | null;
  },
  nowMs: number,
): Seq {
  const { message, recipients, addressees, sizeBytes, uploads, thread } = departing;
  const { address } = account.row;
  // Of nobody in particular, for copies that several recipients share: a report that comes back to it moves none of them.
  const returnPath = returnPathWith(address, mintToken(randomBytes(TOKEN_BYTES))) ?? address;
  const prepared = prepareOutgoing(message, { recipients, returnPath, sizeBytes });
  const { seq } = fileOutgoing(db, account, prepared, { nowMs, thread });
  const used = useUploads(db, seq, uploads, nowMs);
  if (!used.ok) throw new Error("An upload went while it was put to use");
  outbox.add(seq, { ...departing, recipients: addressees }, returnPath, nowMs);
  account.countSend(nowMs);
  return seq;
}

/**
 * Bytes that a message counts against the quota: what its row in the outbox holds. Files are counted as the uploads that they
 * are. A key that it was sent under is not: there is one at most for each message of two days.
 */
function keptBytes({ text, html, ...fields }: OutgoingMessage, recipients: readonly string[]): number {
  const written = [text, html, JSON.stringify(fields), ...recipients];
  return written.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** What the request says of its files, and its uploads know. */
function filesOf(db: Database, files: readonly FileWish[], nowMs: number): Answer<DraftFile[]> {
  const drafts: DraftFile[] = [];
  for (const [index, file] of files.entries()) {
    const upload = findUpload(db, file.upload, nowMs);
    if (upload === null) {
      return refused(invalid(`attachments.${index}.attachment_id`, "names no upload of this mailbox"));
    }
    drafts.push({
      filename: file.filename || upload.filename,
      content_type: file.content_type || upload.contentType,
      content_id: file.content_id,
      sizeBytes: upload.sizeBytes,
    });
  }
  return done(drafts);
}

function threadOf(db: Database, account: Account, id: string | null): Seq | null {
  const named = id === null ? null : readId(id, account.idTail);
  return named === null ? null : (db.first(statements.FIND_THREAD, named.seq)?.thread ?? null);
}

/** Whether a message was accepted under a key within a day, whatever its request was. */
export function isKeyUsed(outbox: Outbox, key: string, nowMs: number): boolean {
  return outbox.keyed(key, nowMs - KEY_LIFETIME_MS) !== null;
}

/** The message that was accepted under a key within a day; null if none was, 422 if it was another request's. */
export function acceptedBefore(outbox: Outbox, keyed: Keyed, nowMs: number): Answer<Seq | null> {
  const earlier = outbox.keyed(keyed.key, nowMs - KEY_LIFETIME_MS);
  if (earlier === null) return done(null);
  if (earlier.digest === keyed.digest) return done(earlier.seq);
  return refused({
    code: "key_reused",
    error: "Idempotency-Key was used with another request; use a new key for a new message",
  });
}

/** What stands in the way of sending to `recipients` now; null if nothing does. */
function hindranceOf(
  { outbox, account, dailySendLimit }: AcceptTools,
  recipients: readonly string[],
  nowMs: number,
): Answer<never> | null {
  const suppressed = outbox.firstSuppressed(recipients);
  if (suppressed !== null) {
    return refused({
      code: "invalid",
      error: `Recipient is suppressed: ${suppressed.written} (${suppressed.reason})`,
    });
  }
  const spent = sendsSpent(account, dailySendLimit, nowMs);
  return spent === null ? null : refused(spent);
}

/** 429 where a mailbox has sent all that it may today; null where it may send. */
export function sendsSpent(account: Account, dailySendLimit: number, nowMs: number): Problem | null {
  const { day, count } = account.sendsOn(nowMs);
  if (count < dailySendLimit) return null;
  const resetSeconds = Math.max(1, Math.ceil((Date.parse(day) + DAY_MS - nowMs) / 1_000));
  return {
    code: "rate_limited",
    error: `Daily send limit reached (${count}/${dailySendLimit})`,
    retryAfterSeconds: resetSeconds,
    budget: { name: "sends", limit: dailySendLimit, windowSeconds: DAY_MS / 1_000 },
  };
}
