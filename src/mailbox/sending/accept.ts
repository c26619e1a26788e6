import { randomBytes } from "node:crypto";
import { invalid, type Answer, type Problem } from "../../contract/problem.ts";
import { UPLOAD_FIRST, type Suppression } from "../../contract/sending.ts";
import { readId, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Ancestry } from "../../mail/compose/answered-mail.ts";
import {
  outgoing,
  type Draft,
  type DraftFile,
  type Outgoing,
  type OutgoingMessage,
  type Sender,
} from "../../mail/compose/outgoing.ts";
import { prepareOutgoing } from "../../mail/compose/prepare-outgoing.ts";
import { mintToken, returnPathWith, TOKEN_BYTES } from "../../mail/address/return-path.ts";
import type { Account } from "../account/account.ts";
import { tooLargeToCarry } from "./carried-size.ts";
import type { Filing } from "../messages/filing.ts";
import type { Addressee, Outbox, Way } from "./outbox.ts";
import type { Uploads } from "../uploads/uploads.ts";

/**
 * An Idempotency-Key with the request it belongs to. Within a day the same key with the same request gets the same answer
 * and sends once.
 */
export interface Keyed {
  key: string;
  /** Digest of the whole request: the same key with another request is refused. */
  digest: string;
}

/** An attachment of a message: an upload, and the texts that the request gives for it; "" = not given. */
export interface SentFile {
  /** Id of the upload. */
  upload: string;
  filename: string;
  content_type: string;
  content_id: string;
}

/** A request to send whose shape is valid. The mailbox checks whether it is allowed. */
export interface SendRequest {
  draft: Omit<Draft, "attachments">;
  files: readonly SentFile[];
  ancestry: Ancestry;
  /** Id of the email that this one answers; null = none. Its thread is joined if the references lead to no thread. */
  answered: string | null;
  keyed: Keyed | null;
}

/** Random bytes of a Message-ID, written in hex: unique and not guessable. */
const MESSAGE_ID_BYTES = 20;
const KEY_LIFETIME_MS = 86_400_000;
const DAY_MS = 86_400_000;

/** Everything that `accept` reads and writes. */
export interface AcceptTools {
  outbox: Outbox;
  uploads: Uploads;
  filing: Filing;
  /** The thread of an email of this mailbox; null if there is no such email. */
  threadOf: (seq: Seq) => Seq | null;
  account: Account;
  /** Custom domains of the mailbox with their status. */
  domains: Sender["domains"];
  dailySendLimit: number;
  wayTo: (address: string) => Way;
  /** The largest composed message that each way carries, in bytes. */
  largest: Readonly<Record<Way, number>>;
  /** Bytes that still fit into the mailbox, and the problem to answer beyond them. */
  room: { bytes: number; full: Problem };
}

/** A message that was accepted, now or by an earlier request with the same key. */
export interface Accepted {
  seq: Seq;
  replayed: boolean;
}

/**
 * Accepts a message: the mailbox then sends it, or shows why it was not sent. Runs inside one transaction of the caller,
 * which writes the message, its recipients, the day's count and the key, or nothing. Errors are those of `POST /v1/send`.
 */
export function accept(tools: AcceptTools, request: SendRequest, nowMs: number): Answer<Accepted> {
  const { outbox, account } = tools;
  const { keyed } = request;
  const earlier = keyed === null ? done(null) : acceptedBefore(outbox, keyed, nowMs);
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return done({ seq: earlier.value, replayed: true });
  const files = filesOf(tools.uploads, request.files);
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
  const obstacle = obstacleTo(tools, recipients, nowMs);
  if (obstacle !== null) return obstacle;
  const sizeBytes = outboxBytes(message, recipients);
  if (sizeBytes > tools.room.bytes) return refused(tools.room.full);
  const uploads = request.files.map(({ upload }) => upload);
  const thread = threadOf(tools, request.answered);
  const seq = write(tools, { ...composed.value, addressees, sizeBytes, uploads, thread }, nowMs);
  if (keyed !== null) {
    outbox.storeKey(keyed.key, { digest: keyed.digest, seq }, { nowMs, sinceMs: nowMs - KEY_LIFETIME_MS });
  }
  return done({ seq, replayed: false });
}

/** Writes an accepted message. */
function write(
  { filing, outbox, uploads: stored, account }: AcceptTools,
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
  // Return path of copies that several recipients share. It belongs to no recipient, so a report that comes back to it
  // changes none.
  const returnPath = returnPathWith(address, mintToken(randomBytes(TOKEN_BYTES))) ?? address;
  const prepared = prepareOutgoing(message, { recipients, returnPath, sizeBytes });
  const { seq } = filing.fileOutgoing(account, prepared, { nowMs, thread });
  const used = stored.use(seq, uploads);
  if (!used.ok) throw new Error("An upload was erased while its message was accepted");
  outbox.add(seq, { ...departing, recipients: addressees }, returnPath, nowMs);
  account.countSend(nowMs);
  return seq;
}

/**
 * Bytes that a message counts against the quota: those of its outbox row. Attachments count as uploads. Idempotency keys do
 * not count: there is at most one for each message of two days.
 */
function outboxBytes({ text, html, ...fields }: OutgoingMessage, recipients: readonly string[]): number {
  const written = [text, html, JSON.stringify(fields), ...recipients];
  return written.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** The attachments of a message, from its request and its uploads. 400 for an id that names no upload. */
function filesOf(uploads: Uploads, files: readonly SentFile[]): Answer<DraftFile[]> {
  const drafts: DraftFile[] = [];
  for (const [index, file] of files.entries()) {
    const upload = uploads.find(file.upload);
    if (upload === null) {
      return refused({
        ...invalid(`attachments.${index}.attachment_id`, "names no upload of this mailbox"),
        fix: UPLOAD_FIRST,
      });
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

function threadOf({ account, threadOf: find }: AcceptTools, id: string | null): Seq | null {
  const named = id === null ? null : readId(id, account.idTail);
  return named === null ? null : find(named.seq);
}

/** Whether a message was accepted under this key within the last 24 hours, with any request. */
export function isKeyUsed(outbox: Outbox, key: string, nowMs: number): boolean {
  return outbox.keyed(key, nowMs - KEY_LIFETIME_MS) !== null;
}

/** The message accepted under this key within the last 24 hours; null if there is none. 422 if the request differs. */
export function acceptedBefore(outbox: Outbox, keyed: Keyed, nowMs: number): Answer<Seq | null> {
  const earlier = outbox.keyed(keyed.key, nowMs - KEY_LIFETIME_MS);
  if (earlier === null) return done(null);
  if (earlier.digest === keyed.digest) return done(earlier.seq);
  return refused({
    code: "key_reused",
    error: "Idempotency-Key was used with another request; use a new key for a new message",
  });
}

/** The next step by the reason why an address is suppressed. Who complained is not written to again. */
const SUPPRESSED_FIX: Record<Suppression["reason"], (address: string) => string> = {
  bounce: (address) =>
    `Leave ${address} out; if it works again, call DELETE /v1/suppressions/${address}, then repeat the call.`,
  complaint: (address) => `Leave ${address} out: its owner reported your mail as unwanted.`,
};

/** Why nothing can be sent to `recipients` now; null if it can: a suppressed recipient, or the daily limit. */
function obstacleTo(
  { outbox, account, dailySendLimit }: AcceptTools,
  recipients: readonly string[],
  nowMs: number,
): Answer<never> | null {
  const suppressed = outbox.firstSuppressed(recipients);
  if (suppressed !== null) {
    return refused({
      code: "invalid",
      error: `Recipient is suppressed: ${suppressed.written} (${suppressed.reason})`,
      fix: SUPPRESSED_FIX[suppressed.reason](suppressed.written),
    });
  }
  const spent = sendsSpent(account, dailySendLimit, nowMs);
  return spent === null ? null : refused(spent);
}

/** 429 if the mailbox has used up its daily sends; else null. */
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
