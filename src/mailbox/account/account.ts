import {
  conflict,
  insufficientScope,
  notFound,
  PAUSED,
  UNAUTHORIZED,
  WRONG_MAILBOX,
  type Answer,
} from "../../contract/problem.ts";
import type { KeyRecord, MailboxInfo } from "../../contract/mailbox.ts";
import type { Direction } from "../../contract/message.ts";
import type { Scope } from "../../contract/scope.ts";
import type { WebhookStatus } from "../../contract/webhook.ts";
import { digestsEqual } from "../../lib/hash.ts";
import { locatorOf } from "../../contract/key.ts";
import { idTail, seqTime, uuidV7, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Statements } from "../../lib/schemas.ts";
import type { Access, Principal } from "./access.ts";
import * as statements from "./rows.ts";
import type { AccountRow, KeyRow } from "./rows.ts";

/** Keys of one mailbox at most: each is compared on every request. */
const MAX_KEYS = 100;
/** How stale `last_used_at` may get on disk: a read must not cost a write. */
const LAST_USED_PRECISION_MS = 3_600_000;

/** When the alarm tells the directory of a change that the call which made it could not tell; and again after a failure. */
export const REPORT_RETRY_MS = 30_000;

/** A message that is counted. A report about a message of ours has no direction, and counts as bytes alone. */
export interface MessageCount {
  seq: Seq;
  direction: Direction | null;
  isParsed: boolean;
  sizeBytes: number;
}

/** The mailbox's own row and its keys, kept in memory so that admission reads no rows. */
export class Account {
  readonly row: AccountRow;
  /** The mailbox's part of every id it mints. */
  readonly idTail: bigint;
  readonly #db: Statements;
  readonly #keys: Map<string, KeyRow>;

  private constructor(db: Statements, row: AccountRow) {
    this.#db = db;
    this.row = row;
    this.idTail = idTail(locatorOf(row.address));
    this.#keys = new Map(db.all(statements.LIST_KEYS).map((key) => [key.id, key]));
  }

  /** Reads what is stored; null for an object that holds no mailbox. */
  static open(db: Statements): Account | null {
    const row = db.first(statements.READ_ACCOUNT);
    return row === null ? null : new Account(db, row);
  }

  /** Whether mail and keys of it are still good. Time alone ends it, however late the alarm. */
  isLive(nowMs: number): boolean {
    return this.row.status !== "closing" && !this.isOver(nowMs);
  }

  /** Whether its time is up. */
  isOver(nowMs: number): boolean {
    return this.row.expires_at !== null && nowMs >= this.row.expires_at;
  }

  /** Judges a caller in this order: 401, scope, other mailbox, paused, fault of the request. */
  admit(access: Access, nowMs: number): Answer<Principal> {
    if (!this.isLive(nowMs)) return refused(noMailbox(access));
    const principal = this.#principal(access, nowMs);
    if (principal === null) return refused(UNAUTHORIZED);
    if (!access.scopes.includes(principal.scope)) {
      const upgrade = principal.scope === "provisional" ? access.upgradeUrl : undefined;
      return refused(insufficientScope(principal.scope, upgrade));
    }
    if (access.foreign) return refused(WRONG_MAILBOX);
    if (this.row.status === "paused" && !access.whilePaused) return refused(PAUSED);
    if (access.fault !== null) return refused(access.fault);
    return done(principal);
  }

  #principal(access: Access, nowMs: number): Principal | null {
    const { credential } = access;
    if (credential.kind === "operator") return { scope: "operator", keyId: null, expiresAt: null };
    let found: KeyRow | null = null;
    // Every key is compared, so that the time tells nothing of which one was near.
    for (const key of this.#keys.values()) {
      if (digestsEqual(key.secret_hash, credential.secretHash)) found = key;
    }
    if (found === null) return null;
    if (found.expires_at !== null && nowMs >= found.expires_at) {
      // An expired key never becomes valid again, even if the clock moves backwards.
      this.removeKey(found.id);
      return null;
    }
    this.#touch(found, nowMs);
    return { scope: found.scope, keyId: found.id, expiresAt: found.expires_at };
  }

  #touch(key: KeyRow, nowMs: number): void {
    const written = key.last_used_at ?? 0;
    if (nowMs - written < LAST_USED_PRECISION_MS) return;
    key.last_used_at = nowMs;
    this.#db.run(statements.TOUCH_KEY, nowMs, key.id);
  }

  /** Lets a temporary mailbox and one of its keys live until `until` at least. A mailbox that is over stays over. */
  extend(until: number, keyId: string): void {
    const key = this.#keys.get(keyId);
    if (this.row.expires_at !== null && this.row.expires_at < until) {
      this.row.expires_at = until;
      this.#db.run(statements.SET_EXPIRY, until);
    }
    if (key !== undefined && key.expires_at !== null && key.expires_at < until) {
      key.expires_at = until;
      this.#db.run(statements.SET_KEY_EXPIRY, until, keyId);
    }
  }

  /** The keys as their owner sees them, without their digests. */
  keyRecords(): KeyRecord[] {
    return [...this.#keys.values()].map(keyRecord);
  }

  /** Keeps a key's digest. Refused over MAX_KEYS. */
  addKey(secretHash: string, scope: Scope, expiresAt: number | null, nowMs: number): Answer<KeyRecord> {
    if (this.#keys.size >= MAX_KEYS)
      return refused(conflict(`Too many keys (max ${MAX_KEYS}); revoke one first`));
    const key: KeyRow = {
      id: uuidV7(nowMs),
      secret_hash: secretHash,
      scope,
      created_at: nowMs,
      expires_at: expiresAt,
      last_used_at: null,
    };
    this.#db.run(statements.INSERT_KEY, key.id, secretHash, scope, nowMs, expiresAt);
    this.#keys.set(key.id, key);
    return done(keyRecord(key));
  }

  /** Ends a key at once. */
  removeKey(id: string): Answer<null> {
    if (!this.#keys.has(id)) return refused(notFound("Key"));
    this.#db.run(statements.DELETE_KEY, id);
    this.#keys.delete(id);
    return done(null);
  }

  /** Whether this digest is one of the mailbox's live keys. */
  holdsKey(secretHash: string): boolean {
    return [...this.#keys.values()].some((key) => digestsEqual(key.secret_hash, secretHash));
  }

  /** Pauses, resumes or ends; the directory hears of it now from the caller, or later from the alarm. */
  setStatus(status: AccountRow["status"], reason: string | null, nowMs: number): void {
    const pausedAt = status === "paused" ? nowMs : null;
    const due = nowMs + REPORT_RETRY_MS;
    this.#db.run(statements.SET_STATUS, status, pausedAt, reason, due);
    Object.assign(this.row, { status, paused_at: pausedAt, pause_reason: reason, directory_due: due });
  }

  setDisplayName(name: string | null): void {
    this.#db.run(statements.SET_DISPLAY_NAME, name);
    this.row.display_name = name;
  }

  /** Changes what signs webhooks; the one before signs too for a while. Null = the deployment's. */
  setWebhookSecret(secret: string | null, nowMs: number): void {
    const webhook_secret_before = this.row.webhook_secret;
    this.#db.run(statements.SET_WEBHOOK_SECRET, secret, webhook_secret_before, nowMs);
    const changed = { webhook_secret_before, webhook_secret_changed_at: nowMs };
    Object.assign(this.row, { webhook_secret: secret, ...changed });
  }

  setDirectoryDue(due: number | null): void {
    this.#db.run(statements.SET_DIRECTORY_DUE, due);
    this.row.directory_due = due;
  }

  /** The directory is told at `dueAt` at the latest; whoever calls sees to the alarm. */
  reportBy(dueAt: number): void {
    const due = this.row.directory_due;
    if (due === null || due > dueAt) this.setDirectoryDue(dueAt);
  }

  /** Writes the number of the newest entry of the log, which survives the entry. */
  keepLastEvent(): void {
    this.#db.run(statements.KEEP_LAST_EVENT, this.row.last_event);
  }

  /** Counts a message that was filed, and writes how far the log is; within the transaction that files it. */
  countMessage(counted: MessageCount): void {
    const { row } = this;
    const { seq, direction, isParsed, sizeBytes } = counted;
    const month = new Date(seqTime(seq)).toISOString().slice(0, 7);
    const isSeen = direction !== null;
    const next = {
      last_seq: seq,
      inbound: row.inbound + (direction === "inbound" ? 1 : 0),
      outbound: row.outbound + (direction === "outbound" ? 1 : 0),
      month,
      month_count: (row.month === month ? row.month_count : 0) + (isSeen ? 1 : 0),
      unparsed: row.unparsed + (isSeen && !isParsed ? 1 : 0),
      storage_bytes: row.storage_bytes + sizeBytes,
    };
    const { last_seq, inbound, outbound, month_count, unparsed, storage_bytes } = next;
    const counts = [last_seq, inbound, outbound, month, month_count, unparsed, storage_bytes] as const;
    this.#db.run(statements.COUNT_MESSAGE, ...counts, row.last_event);
    Object.assign(row, next);
  }

  /** Erases every key: every later call is answered 401. */
  removeKeys(): void {
    this.#db.run(statements.DELETE_KEYS);
    this.#keys.clear();
  }

  /** Takes an erased message out of the counters; what the month saw stays counted. */
  countDeletion(direction: Direction | null, sizeBytes: number): void {
    const { row } = this;
    const inbound = row.inbound - (direction === "inbound" ? 1 : 0);
    const outbound = row.outbound - (direction === "outbound" ? 1 : 0);
    const storage_bytes = row.storage_bytes - sizeBytes;
    this.#db.run(statements.COUNT_DELETION, inbound, outbound, storage_bytes);
    Object.assign(row, { inbound, outbound, storage_bytes });
  }

  /** Sends counted on a day. The clock may go back: a day that was begun is never begun again, so no quota is granted twice. */
  sendsOn(nowMs: number): { day: string; count: number } {
    const today = new Date(nowMs).toISOString().slice(0, 10);
    const { sends_day, sends_count } = this.row;
    return today > sends_day ? { day: today, count: 0 } : { day: sends_day, count: sends_count };
  }

  /** Counts a send; within the transaction that accepts it. */
  countSend(nowMs: number): void {
    const { day, count } = this.sendsOn(nowMs);
    this.#db.run(statements.COUNT_SEND, day, count + 1);
    Object.assign(this.row, { sends_day: day, sends_count: count + 1 });
  }

  /** Counts bytes that came to lie beside the messages, or that went. */
  countStorage(bytes: number): void {
    const storage_bytes = this.row.storage_bytes + bytes;
    this.#db.run(statements.COUNT_STORAGE, storage_bytes);
    this.row.storage_bytes = storage_bytes;
  }

  /** The mailbox as its owner sees it; `webhook` is where its webhooks go. */
  info(webhook: { url: string; status: WebhookStatus } | null): MailboxInfo {
    const { row } = this;
    return {
      mailbox: row.address,
      status: row.status === "paused" ? "paused" : "active",
      webhook_url: webhook?.url ?? null,
      webhook_status: webhook?.status ?? null,
      created_at: new Date(row.created_at).toISOString(),
      expires_at: isoOrNull(row.expires_at),
      display_name: row.display_name,
    };
  }
}

function keyRecord(key: KeyRow): KeyRecord {
  return {
    id: key.id,
    scope: key.scope,
    created_at: new Date(key.created_at).toISOString(),
    expires_at: isoOrNull(key.expires_at),
    last_used_at: isoOrNull(key.last_used_at),
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** What a caller hears where there is no mailbox: a key never learns that; the operator, who named it, does. */
export function noMailbox(access: Access) {
  return access.credential.kind === "operator" ? notFound("Mailbox") : UNAUTHORIZED;
}
