import type { Query } from "../../lib/sql.ts";

type Nullable<T> = T | null;

/** Reserves a blob until `dueAt`, or plans its erasure. A blob that is being erased stays so. */
export const PLAN_ERASURE: Query<never, [key: string, dueAt: number]> = {
  text: `INSERT INTO blob_to_erase (key, due_at) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at`,
};
/** Claims a reserved blob for a message; no row if it is erased or being erased. */
export const CLAIM_BLOB: Query<{ key: string }, [key: string]> = {
  text: "DELETE FROM blob_to_erase WHERE key = ? AND erasing = 0 RETURNING key",
};
/** Marks blobs as being erased: from here on nobody can claim them. Their order does not matter, so nothing is sorted. */
export const BEGIN_ERASURES: Query<{ key: string }, [dueBy: number, limit: number]> = {
  text: `UPDATE blob_to_erase SET erasing = 1 WHERE key IN
    (SELECT key FROM blob_to_erase WHERE due_at <= ? LIMIT ? + 0) RETURNING key`,
};
export const END_ERASURE: Query<never, [key: string]> = { text: "DELETE FROM blob_to_erase WHERE key = ?" };
export const NEXT_ERASURE: Query<{ due_at: Nullable<number> }, []> = {
  text: "SELECT min(due_at) AS due_at FROM (SELECT due_at FROM blob_to_erase UNION ALL SELECT due_at FROM late_blob)",
};
export const POSTPONE_ERASURE: Query<never, [number, string]> = {
  text: "UPDATE blob_to_erase SET due_at = ? WHERE key = ?",
};
/** Plans the erasure of every blob whose key one of the SELECTs gives, and of all reserved blobs. */
export const planAll = (selects: readonly string[]): Query<never, [dueAt: number]> => ({
  text: `INSERT INTO blob_to_erase (key, due_at)
    SELECT key, ?1 FROM (${[...selects, "SELECT key FROM blob_to_erase"].join(" UNION ")}) WHERE true
    ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at`,
});
/** Stores the reserved blobs of the bucket that may still be written when the mailbox ends. */
export const NOTE_RESERVED: Query<never, [now: number]> = {
  text: `INSERT OR IGNORE INTO late_blob (key, due_at)
    SELECT key, due_at FROM blob_to_erase WHERE due_at > ? AND erasing = 0 AND key NOT LIKE 'rows:%'`,
};
export const NOTE_LATE_BLOB: Query<never, [key: string, dueAt: number]> = {
  text: "INSERT OR IGNORE INTO late_blob (key, due_at) VALUES (?, ?)",
};
export const LATE_BLOBS: Query<{ key: string; due_at: number }, []> = {
  text: "SELECT key, due_at FROM late_blob ORDER BY due_at",
};
export const POSTPONE_LATE_BLOB: Query<never, [number, string]> = {
  text: "UPDATE late_blob SET due_at = ? WHERE key = ?",
};
export const REMOVE_LATE_BLOB: Query<never, [key: string]> = { text: "DELETE FROM late_blob WHERE key = ?" };
export const FIND_LATE_BLOBS: Query<{ name: string }, []> = {
  text: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'late_blob'",
};
export const PUT_CHUNK: Query<never, [string, number, ArrayBuffer]> = {
  text: "INSERT OR REPLACE INTO blob_chunk (key, position, bytes) VALUES (?, ?, ?)",
};
export const GET_CHUNK: Query<
  { bytes: ArrayBuffer },
  [first: number, length: number, key: string, position: number]
> = {
  // Of no bytes, substr is NULL.
  text: "SELECT coalesce(substr(bytes, ?, ?), x'') AS bytes FROM blob_chunk WHERE key = ? AND position = ?",
};
export const DELETE_CHUNKS: Query<never, [string]> = { text: "DELETE FROM blob_chunk WHERE key = ?" };
