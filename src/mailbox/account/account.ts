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
import type { MissedEvents, WebhookStatus } from "../../contract/webhook.ts";
import { digestsEqual } from "../../lib/hash.ts";
import { locatorOf } from "../../contract/key.ts";
import { idTail, seqTime, uuidV7, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Statements } from "../../lib/schemas.ts";
import type { LateWrites } from "../late-writes.ts";
import type { Access, Principal } from "./access.ts";
import * as statements from "./rows.ts";
import type { AccountRow, KeyRow } from "./rows.ts";
import { StoredKeys } from "./stored-keys.ts";

/** Keys of one mailbox at most: each is compared on every request. */
const MAX_KEYS = 100;
const REVOKE_ONE = "Call DELETE /v1/keys/<id> for one of GET /v1/keys, then repeat the call.";
/** `last_used_at` is written at most this often, so that most reads write nothing. */
const LAST_USED_PRECISION_MS = 3_600_000;

/** Delay until the alarm reports a change to the directory that the call itself could not report, and between retries. */
export const REPORT_RETRY_MS = 30_000;

/**
 * So many emails may be stored in a small mailbox. It has no index of words, codes and blobs: indexes take more room than so few
 * messages, and looking at all of them is as quick.
 */
export const SMALL_MAILBOX = 32;

/** The counters that say how many emails are stored. */
type Counted = Pick<AccountRow, "inbound" | "outbound">;

/** Whether a mailbox may take one more email and still is small. */
export function isSmall({ inbound, outbound }: Counted): boolean {
  return inbound + outbound < SMALL_MAILBOX;
}

/** A key to store. */
export interface NewKey {
  /** A UUID; by default a new one. */
  id?: string;
  /** SHA-256 of the secret, hex. */
  secretHash: string;
  scope: Scope;
  /** ms since 1970; null = never. */
  expiresAt: number | null;
}

/** A message to count. A delivery report has no direction: only its bytes count. */
export interface MessageCount {
  seq: Seq;
  direction: Direction | null;
  isParsed: boolean;
  sizeBytes: number;
}

/** The row of the mailbox and its keys, cached so that authentication reads no rows. */
export class Account {
  readonly row: AccountRow;
  /** The mailbox's part of every id that it makes. */
  readonly idTail: bigint;
  readonly #db: Statements;
  readonly #stored: StoredKeys;
  readonly #keys: Map<string, KeyRow>;
  readonly #late: Pick<LateWrites, "add">;

  private constructor(
    db: Statements,
    row: AccountRow,
    { stored, late }: { stored: StoredKeys; late: Pick<LateWrites, "add"> },
  ) {
    this.#db = db;
    this.#late = late;
    this.#stored = stored;
    this.row = row;
    this.idTail = idTail(locatorOf(row.address));
    this.#keys = new Map(stored.read(row.first_key).map((key) => [key.id, key]));
  }

  /**
   * Reads the stored account; null if the object holds no mailbox.
   *
   * @param keys statements over the table of further keys.
   * @param late writes when a key was used.
   */
  static open(db: Statements, keys: Statements, late: Pick<LateWrites, "add">): Account | null {
    const row = db.first(statements.READ_ACCOUNT);
    return row === null ? null : new Account(db, row, { stored: new StoredKeys(db, keys), late });
  }

  /** Whether keys are valid and mail is accepted. An expired mailbox is not live, even before its alarm rings. */
  isLive(nowMs: number): boolean {
    return this.row.status !== "closing" && !this.isOver(nowMs);
  }

  /** Whether the mailbox has expired. */
  isOver(nowMs: number): boolean {
    return this.row.expires_at !== null && nowMs >= this.row.expires_at;
  }

  /** Authenticates a caller. The first error that applies: 401, scope, other mailbox, paused, fault of the request. */
  admit(access: Access, nowMs: number): Answer<Principal> {
    if (!this.isLive(nowMs)) return refused(noMailbox(access));
    const principal = this.#principal(access, nowMs);
    if (principal === null) return refused(UNAUTHORIZED);
    if (!access.scopes.includes(principal.scope)) {
      return refused(insufficientScope(principal.scope, access));
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
    // Every key is compared, so that the duration does not reveal which one was similar.
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
    // The key may be revoked before.
    this.#late.add(() => {
      if (this.#keys.get(key.id) === key) this.#stored.change(key);
    });
  }

  /** Extends the life of a temporary mailbox and of one of its keys to `until` at least. Does nothing once it has expired. */
  extend(until: number, keyId: string): void {
    const key = this.#keys.get(keyId);
    if (this.row.expires_at !== null && this.row.expires_at < until) {
      this.row.expires_at = until;
      this.#db.run(statements.SET_EXPIRY, until);
    }
    if (key !== undefined && key.expires_at !== null && key.expires_at < until) {
      key.expires_at = until;
      this.#stored.change(key);
    }
  }

  /** The keys as the API shows them, without digests. */
  keyRecords(): KeyRecord[] {
    return [...this.#keys.values()].map(keyRecord);
  }

  /** Stores the digest of a key. 409 beyond MAX_KEYS, and for an `id` that a key has. */
  addKey({ id, secretHash, scope, expiresAt }: NewKey, nowMs: number): Answer<KeyRecord> {
    if (id !== undefined && this.#keys.has(id))
      return refused(conflict("The key exists already", "Make it with another id."));
    if (this.#keys.size >= MAX_KEYS)
      return refused(conflict(`Too many keys (max ${MAX_KEYS}); revoke one first`, REVOKE_ONE));
    const key: KeyRow = {
      id: id ?? uuidV7(nowMs),
      secret_hash: secretHash,
      scope,
      created_at: nowMs,
      expires_at: expiresAt,
      last_used_at: null,
    };
    this.#stored.insert(key);
    this.#keys.set(key.id, key);
    return done(keyRecord(key));
  }

  /** Removes a key at once. 404 for an unknown id. */
  removeKey(id: string): Answer<null> {
    if (!this.#keys.has(id)) return refused(notFound("Key"));
    this.#stored.remove(id);
    this.#keys.delete(id);
    return done(null);
  }

  /** Whether this is the digest of a valid key of the mailbox. */
  holdsKey(secretHash: string): boolean {
    return [...this.#keys.values()].some((key) => digestsEqual(key.secret_hash, secretHash));
  }

  /** Changes the status. The caller reports it to the directory now, or the alarm does later. */
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

  /** Changes the webhook secret; the previous one also signs for a while. Null = use the deployment's. */
  setWebhookSecret(secret: string | null, nowMs: number): void {
    const webhook_secret_before = this.row.webhook_secret;
    this.#db.run(statements.SET_WEBHOOK_SECRET, secret, webhook_secret_before, nowMs);
    const changed = { webhook_secret_before, webhook_secret_changed_at: nowMs };
    Object.assign(this.row, { webhook_secret: secret, ...changed });
  }

  setWebhookRecovery(isOn: boolean): void {
    const webhook_recovery = isOn ? 1 : 0;
    this.#db.run(statements.SET_WEBHOOK_RECOVERY, webhook_recovery);
    Object.assign(this.row, { webhook_recovery });
  }

  setDirectoryDue(due: number | null): void {
    this.#db.run(statements.SET_DIRECTORY_DUE, due);
    this.row.directory_due = due;
  }

  /** Sets when the directory gets its next report at the latest. The caller sets the alarm. */
  reportBy(dueAt: number): void {
    const due = this.row.directory_due;
    if (due === null || due > dueAt) this.setDirectoryDue(dueAt);
  }

  /** Writes the number of the newest log entry, which outlives the entry. */
  writeLastEvent(): void {
    this.#db.run(statements.WRITE_LAST_EVENT, this.row.last_event);
  }

  /** Counts a filed message and writes the newest log number; within the transaction that files the message. */
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

  /** As `countMessage`, for a message that was received elsewhere: it does not count for this month, and may be older than others. */
  countImported({ seq, direction, isParsed, sizeBytes }: MessageCount): void {
    const { row } = this;
    const next = {
      last_seq: Math.max(row.last_seq, seq),
      inbound: row.inbound + (direction === "inbound" ? 1 : 0),
      outbound: row.outbound + (direction === "outbound" ? 1 : 0),
      unparsed: row.unparsed + (direction !== null && !isParsed ? 1 : 0),
      storage_bytes: row.storage_bytes + sizeBytes,
    };
    const { last_seq, inbound, outbound, unparsed, storage_bytes } = next;
    const { month, month_count, last_event } = row;
    const counts = [last_seq, inbound, outbound, month, month_count, unparsed, storage_bytes] as const;
    this.#db.run(statements.COUNT_MESSAGE, ...counts, last_event);
    Object.assign(row, next);
  }

  /** Removes every key: every later call gets 401. */
  removeKeys(): void {
    this.#stored.removeAll();
    this.#keys.clear();
  }

  /** Takes an erased message out of the counters. The month's counter stays. */
  countDeletion(direction: Direction | null, sizeBytes: number): void {
    const { row } = this;
    const inbound = row.inbound - (direction === "inbound" ? 1 : 0);
    const outbound = row.outbound - (direction === "outbound" ? 1 : 0);
    const storage_bytes = row.storage_bytes - sizeBytes;
    this.#db.run(statements.COUNT_DELETION, inbound, outbound, storage_bytes);
    Object.assign(row, { inbound, outbound, storage_bytes });
  }

  /** The day's sends. If the clock moves backwards, the latest day stays current, so no quota is granted twice. */
  sendsOn(nowMs: number): { day: string; count: number } {
    const today = new Date(nowMs).toISOString().slice(0, 10);
    const { sends_day, sends_count } = this.row;
    return today > sends_day ? { day: today, count: 0 } : { day: sends_day, count: sends_count };
  }

  /** Counts a send, within the transaction that accepts it. */
  countSend(nowMs: number): void {
    const { day, count } = this.sendsOn(nowMs);
    this.#db.run(statements.COUNT_SEND, day, count + 1);
    Object.assign(this.row, { sends_day: day, sends_count: count + 1 });
  }

  /** Adds to the stored bytes; negative for bytes that were erased. */
  countStorage(bytes: number): void {
    const storage_bytes = this.row.storage_bytes + bytes;
    this.#db.run(statements.COUNT_STORAGE, storage_bytes);
    this.row.storage_bytes = storage_bytes;
  }

  /** The mailbox as the API shows it; `webhook` is its own webhook URL. */
  info(webhook: OwnWebhook | null): MailboxInfo {
    const { row } = this;
    return {
      mailbox: row.address,
      address: row.address,
      status: row.status === "paused" ? "paused" : "active",
      webhook_url: webhook?.url ?? null,
      webhook_status: webhook?.status ?? null,
      webhook_recovery: row.webhook_recovery === 1,
      ...(webhook?.missed ? { webhook_missed: webhook.missed } : {}),
      created_at: new Date(row.created_at).toISOString(),
      expires_at: isoOrNull(row.expires_at),
      display_name: row.display_name,
    };
  }
}

/** The mailbox's own webhook. */
export interface OwnWebhook {
  url: string;
  status: WebhookStatus;
  /** Null if nothing is missing. */
  missed: MissedEvents | null;
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

/** The problem to answer if there is no mailbox: 401 for a key, so that it learns nothing; 404 for the operator. */
export function noMailbox(access: Access) {
  return access.credential.kind === "operator" ? notFound("Mailbox") : UNAUTHORIZED;
}
