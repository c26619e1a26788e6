import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import type { Scope } from "../../contract/scope.ts";

type Nullable<T> = T | null;

/** The mailbox's own row; there is one. */
export type AccountRow = {
  /** Canonical address. */
  address: string;
  kind: "permanent" | "temporary";
  /** `closing`: keys and mail are no longer usable; blobs, domains and the directory entry remain to be erased. */
  status: "active" | "paused" | "closing";
  /** ms since 1970, as is every time in this file. */
  created_at: number;
  /** null = never. */
  expires_at: number | null;
  display_name: string | null;
  paused_at: number | null;
  pause_reason: string | null;
  /** The newest seq that was assigned; it outlives the message. */
  last_seq: Seq;
  inbound: number;
  outbound: number;
  /** UTC month `YYYY-MM` that `month_count` counts. */
  month: string;
  month_count: number;
  /** Messages that the parser could not read. */
  unparsed: number;
  storage_bytes: number;
  /** When the next report to the directory is due; null = the directory is up to date. */
  directory_due: number | null;
  /** `seq` of the newest log entry; it outlives the entry. */
  last_event: number;
  /** Signs the webhooks; null = the deployment's secret does. */
  webhook_secret: string | null;
  /** The secret before the last change; null = the deployment's. */
  webhook_secret_before: string | null;
  /** When the secret last changed; null = never. */
  webhook_secret_changed_at: number | null;
  /** UTC day `YYYY-MM-DD` that `sends_count` counts; "" before the first send. */
  sends_day: string;
  sends_count: number;
  /** 1 = recovery of failed webhooks is on. */
  webhook_recovery: 0 | 1;
  /** JSON of a `KeyRow`; null = it was revoked, or all keys are rows of their own. */
  first_key: string | null;
};

export type KeyRow = {
  id: string;
  /** SHA-256 of the secret, hex. */
  secret_hash: string;
  scope: Scope;
  created_at: number;
  expires_at: number | null;
  /** Written at most once an hour. */
  last_used_at: number | null;
};

export const READ_ACCOUNT: Query<AccountRow, []> = {
  text: `SELECT address, kind, status, created_at, expires_at, display_name, paused_at, pause_reason, last_seq,
    inbound, outbound, month, month_count, unparsed, storage_bytes, directory_due,
    last_event, webhook_secret, webhook_secret_before, webhook_secret_changed_at, sends_day, sends_count, webhook_recovery,
    first_key FROM account`,
};
export const INSERT_ACCOUNT: Query<
  never,
  [
    ...[address: string, kind: string, createdAt: number, expiresAt: Nullable<number>, month: string],
    ...[directoryDue: number, firstKey: string, steps: string],
  ]
> = {
  text: `INSERT INTO account (one, address, kind, status, created_at, expires_at, month, directory_due, first_key, steps,
    last_seq, inbound, outbound, month_count, unparsed, storage_bytes)
    VALUES (1, ?, ?, 'active', ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0)`,
};
export const COUNT_MESSAGE: Query<never, [number, number, number, string, number, number, number, number]> = {
  // The WHERE clause names the only row: SQLite keeps an undo journal for an UPDATE that might change several rows.
  text: `UPDATE account SET last_seq = ?, inbound = ?, outbound = ?, month = ?, month_count = ?, unparsed = ?, storage_bytes = ?,
    last_event = ? WHERE one = 1`,
};
export const WRITE_LAST_EVENT: Query<never, [number]> = { text: "UPDATE account SET last_event = ?" };
export const COUNT_STORAGE: Query<never, [number]> = {
  text: "UPDATE account SET storage_bytes = ? WHERE one = 1",
};
export const COUNT_DELETION: Query<never, [number, number, number]> = {
  text: "UPDATE account SET inbound = ?, outbound = ?, storage_bytes = ?",
};
export const SET_STATUS: Query<never, [string, Nullable<number>, Nullable<string>, number]> = {
  text: "UPDATE account SET status = ?, paused_at = ?, pause_reason = ?, directory_due = ?",
};
export const SET_EXPIRY: Query<never, [expiresAt: number]> = { text: "UPDATE account SET expires_at = ?" };
export const SET_DISPLAY_NAME: Query<never, [Nullable<string>]> = {
  text: "UPDATE account SET display_name = ?",
};
export const COUNT_SEND: Query<never, [day: string, count: number]> = {
  text: "UPDATE account SET sends_day = ?, sends_count = ?",
};
export const SET_WEBHOOK_SECRET: Query<never, [Nullable<string>, Nullable<string>, number]> = {
  text: "UPDATE account SET webhook_secret = ?, webhook_secret_before = ?, webhook_secret_changed_at = ?",
};
export const SET_WEBHOOK_RECOVERY: Query<never, [isOn: 0 | 1]> = {
  text: "UPDATE account SET webhook_recovery = ?",
};
export const SET_DIRECTORY_DUE: Query<never, [Nullable<number>]> = {
  text: "UPDATE account SET directory_due = ?",
};
export const LIST_KEYS: Query<KeyRow, []> = {
  text: "SELECT id, secret_hash, scope, created_at, expires_at, last_used_at FROM api_key ORDER BY id",
};
export const INSERT_KEY: Query<never, [string, string, string, number, Nullable<number>]> = {
  text: "INSERT INTO api_key (id, secret_hash, scope, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
};
export const DELETE_KEY: Query<never, [string]> = { text: "DELETE FROM api_key WHERE id = ?" };
export const DELETE_KEYS: Query<never, []> = { text: "DELETE FROM api_key" };
export const CHANGE_KEY: Query<
  never,
  [expiresAt: Nullable<number>, lastUsedAt: Nullable<number>, id: string]
> = {
  text: "UPDATE api_key SET expires_at = ?, last_used_at = ? WHERE id = ?",
};
export const WRITE_FIRST_KEY: Query<never, [Nullable<string>]> = {
  text: "UPDATE account SET first_key = ? WHERE one = 1",
};
