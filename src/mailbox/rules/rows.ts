import type { ReceiveMode, RefusalReason } from "../../contract/rules.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import type { RuleList } from "./rules.ts";

export type SettingRow = {
  mode: ReceiveMode;
  entries: number;
  /** JSON of the last changes, newest first. */
  changes: string;
};
export type EntryRow = { match: string; list: RuleList; unverified: 0 | 1 };

export const READ_SETTING: Query<SettingRow, []> = {
  text: "SELECT mode, entries, changes FROM rule_setting",
};
export const WRITE_SETTING: Query<never, [mode: ReceiveMode, entries: number, changes: string]> = {
  text: `INSERT INTO rule_setting (only, mode, entries, changes) VALUES (1, ?1, ?2, ?3)
    ON CONFLICT (only) DO UPDATE SET mode = ?1, entries = ?2, changes = ?3`,
};
export const ALL_ENTRIES: Query<EntryRow, []> = {
  text: "SELECT match, list, unverified FROM rule_entry ORDER BY match, list",
};
export const FIND_ENTRIES: Query<EntryRow, [matches: string]> = {
  text: "SELECT match, list, unverified FROM rule_entry WHERE match IN (SELECT value FROM json_each(?))",
};
export const PUT_ENTRY: Query<never, [match: string, list: RuleList, unverified: 0 | 1]> = {
  text: "INSERT OR REPLACE INTO rule_entry (match, list, unverified) VALUES (?, ?, ?)",
};
export const REMOVE_ENTRY: Query<never, [match: string, list: RuleList]> = {
  text: "DELETE FROM rule_entry WHERE match = ? AND list = ?",
};

/** A refused mail, without its bytes. */
export type RefusedRow = {
  position: number;
  id: string;
  reason: RefusalReason;
  verified: 0 | 1;
  from_address: string;
  from_name: string;
  subject: string;
  size_bytes: number;
  /** ms since 1970. */
  received_at: number;
  /** ms since 1970. */
  expires_at: number;
  /** The email that it became; null while it was not released. */
  released: Seq | null;
  raw_key: string | null;
};
/** The rest of a refused mail. `raw` is null for one that was released, or whose bytes lie under `raw_key`. */
export type RefusedContent = { detail: string; raw: ArrayBuffer | null };

const COLUMNS = `position, id, reason, verified, from_address, from_name, subject, size_bytes, received_at, expires_at,
  released, raw_key`;

export const KEEP: Query<
  { position: number },
  [
    id: string,
    digest: string,
    reason: RefusalReason,
    verified: 0 | 1,
    fromAddress: string,
    fromName: string,
    subject: string,
    sizeBytes: number,
    receivedAt: number,
    expiresAt: number,
    detail: string,
    rawKey: string | null,
    raw: ArrayBuffer | null,
  ]
> = {
  text: `INSERT INTO refused_mail (id, digest, reason, verified, from_address, from_name, subject, size_bytes, received_at,
    expires_at, detail, raw_key, raw) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
export const FIND_SAME: Query<RefusedRow, [digest: string]> = {
  text: `SELECT ${COLUMNS} FROM refused_mail WHERE digest = ?`,
};
export const FIND: Query<RefusedRow, [id: string, now: number]> = {
  text: `SELECT ${COLUMNS} FROM refused_mail WHERE id = ? AND expires_at > ?`,
};
export const READ_CONTENT: Query<RefusedContent, [position: number]> = {
  text: "SELECT detail, raw FROM refused_mail WHERE position = ?",
};
export const PAGE: Query<RefusedRow, [below: number, now: number, limit: number]> = {
  text: `SELECT ${COLUMNS} FROM refused_mail WHERE position < ? AND expires_at > ? AND released IS NULL
    ORDER BY position DESC LIMIT ? + 0`,
};
export const OLDEST: Query<RefusedRow, []> = {
  text: `SELECT ${COLUMNS} FROM refused_mail WHERE released IS NULL ORDER BY position LIMIT 1`,
};
export const NEXT_EXPIRY: Query<{ due: number | null }, []> = {
  text: "SELECT min(expires_at) AS due FROM refused_mail",
};
export const EXPIRED: Query<RefusedRow, [now: number, limit: number]> = {
  text: `SELECT ${COLUMNS} FROM refused_mail WHERE expires_at <= ? ORDER BY expires_at LIMIT ? + 0`,
};
export const RELEASE: Query<never, [seq: Seq, position: number]> = {
  text: "UPDATE refused_mail SET released = ?, detail = '', raw_key = NULL, raw = NULL WHERE position = ?",
};
export const ERASE: Query<never, [position: number]> = {
  text: "DELETE FROM refused_mail WHERE position = ?",
};

export type TotalRow = { emails: number; size_bytes: number; dropped: number };
export const READ_TOTAL: Query<TotalRow, []> = {
  text: "SELECT emails, size_bytes, dropped FROM refused_total",
};
export const ADD_TO_TOTAL: Query<never, [emails: number, sizeBytes: number, dropped: number]> = {
  text: `INSERT INTO refused_total (only, emails, size_bytes, dropped) VALUES (1, ?1, ?2, ?3)
    ON CONFLICT (only) DO UPDATE SET emails = emails + ?1, size_bytes = size_bytes + ?2, dropped = dropped + ?3`,
};

/** The keys of the blobs of refused mail. */
export const BLOB_KEYS = "SELECT raw_key AS key FROM refused_mail WHERE raw_key IS NOT NULL";
