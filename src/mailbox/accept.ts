import { idOf, type Seq } from "../lib/ids.ts";
import { randomBytes } from "node:crypto";
import type { Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import type { Ancestry } from "../mail/answered-mail.ts";
import { outgoing, type Draft } from "../mail/outgoing.ts";
import { prepareOutgoing } from "../mail/prepare-outgoing.ts";
import { mintReturnPath, TOKEN_BYTES } from "../mail/return-path.ts";
import type { Account } from "./account.ts";
import { fileOutgoing } from "./ingest.ts";
import type { Outbox } from "./outbox.ts";

/** What an Idempotency-Key protects: the same key and body within a day answer the same, and send once. */
export interface Keyed {
  key: string;
  /** Of the whole request: the same key with another is refused. */
  digest: string;
}

/** A request to send, its shape checked; what it may say the mailbox judges. */
export interface SendRequest {
  draft: Draft;
  ancestry: Ancestry;
  keyed: Keyed | null;
}

const KEY_LIFETIME_MS = 86_400_000;
const DAY_MS = 86_400_000;

/** What accepting needs. */
export interface AcceptTools {
  db: Database;
  outbox: Outbox;
  account: Account;
  dailySendLimit: number;
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
  const earlier = replayOf(outbox, request.keyed, nowMs);
  if (earlier !== null) return earlier;
  const { address } = account.row;
  const token = randomBytes(TOKEN_BYTES);
  const composed = outgoing(
    request.draft,
    request.ancestry,
    { mailbox: address, displayName: account.row.display_name ?? "", verifiedDomains: new Set() },
    { token: token.toString("hex"), nowMs, automatic: null },
  );
  if (!composed.ok) return composed;
  const hindrance = hindranceOf(tools, composed.value.recipients, nowMs);
  if (hindrance !== null) return hindrance;
  const path = mintReturnPath(address, token);
  const returnPath = path?.address ?? address;
  const { message, recipients } = composed.value;
  // Complaints find their way by it where a host knows RFC 9477.
  if (path !== null) {
    message.headers.push({ name: "CFBL-Address", value: `${path.address}; report=arf` });
    message.headers.push({ name: "CFBL-Feedback-ID", value: path.token });
  }
  const sizeBytes = message.attachments.reduce(
    (sum, file) => sum + file.sizeBytes,
    Buffer.byteLength(message.text) + Buffer.byteLength(message.html),
  );
  const prepared = prepareOutgoing(message, { recipients, returnPath, sizeBytes });
  const { seq } = fileOutgoing(db, account, prepared, nowMs);
  outbox.add(seq, composed.value, { returnPath, token: path?.token ?? null }, nowMs);
  account.countSend(nowMs);
  const { keyed } = request;
  if (keyed !== null) {
    const used = { digest: keyed.digest, seq };
    outbox.keepKey(keyed.key, used, { nowMs, sinceMs: nowMs - KEY_LIFETIME_MS });
  }
  return done({ seq, replayed: false });
}

function replayOf(outbox: Outbox, keyed: Keyed | null, nowMs: number): Answer<Accepted> | null {
  const earlier = keyed === null ? null : outbox.keyed(keyed.key, nowMs - KEY_LIFETIME_MS);
  if (earlier === null || keyed === null) return null;
  if (earlier.digest === keyed.digest) return done({ seq: earlier.seq, replayed: true });
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
  const { day, count } = account.sendsOn(nowMs);
  if (count < dailySendLimit) return null;
  const resetSeconds = Math.max(1, Math.ceil((Date.parse(day) + DAY_MS - nowMs) / 1_000));
  return refused({
    code: "rate_limited",
    error: `Daily send limit reached (${count}/${dailySendLimit})`,
    retryAfterSeconds: resetSeconds,
    budget: { name: "sends", limit: dailySendLimit, windowSeconds: DAY_MS / 1_000 },
  });
}

/** What a caller is told of a message of its own. */
export function sentId(seq: Seq, account: Account): string {
  return idOf(seq, account.idTail);
}
