import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";

/** An uploaded file. */
export type UploadRow = {
  /** Public id. */
  id: string;
  /** Key of its blob. */
  key: string;
  filename: string;
  content_type: string;
  /** Size of the file, or the reserved room until the upload is complete. `storage_bytes` counts both. */
  size_bytes: number;
  /** Hex; null until it is complete. */
  sha256: string | null;
  created_at: number;
  /** ms since 1970; null = a message uses it. */
  expires_at: number | null;
};

const COLUMNS = "id, key, filename, content_type, size_bytes, sha256, created_at, expires_at";
export const INSERT: Query<never, [string, string, string, string, number, number, number]> = {
  text: `INSERT INTO upload (id, key, filename, content_type, size_bytes, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
export const FIND: Query<UploadRow, [id: string]> = { text: `SELECT ${COLUMNS} FROM upload WHERE id = ?` };
export const COMPLETE: Query<
  never,
  [
    filename: string,
    contentType: string,
    sizeBytes: number,
    sha256: string,
    createdAt: number,
    expiresAt: number,
    id: string,
  ]
> = {
  text: `UPDATE upload
    SET filename = ?, content_type = ?, size_bytes = ?, sha256 = ?, created_at = ?, expires_at = ? WHERE id = ?`,
};
export const REMOVE: Query<never, [id: string]> = { text: "DELETE FROM upload WHERE id = ?" };
export const NEXT_DUE: Query<{ due: number | null }, []> = {
  text: "SELECT min(expires_at) AS due FROM upload WHERE expires_at IS NOT NULL",
};
export const EXPIRED: Query<UploadRow, [now: number, limit: number]> = {
  text: `SELECT ${COLUMNS} FROM upload WHERE expires_at <= ? ORDER BY expires_at LIMIT ? + 0`,
};
export const USE: Query<never, [message: Seq, upload: string]> = {
  text: "INSERT OR IGNORE INTO upload_use (message, upload) VALUES (?, ?)",
};
export const KEEP: Query<never, [id: string]> = { text: "UPDATE upload SET expires_at = NULL WHERE id = ?" };
export const USED_BY: Query<{ upload: string }, [message: Seq]> = {
  text: "SELECT upload FROM upload_use WHERE message = ?",
};
export const UNUSE: Query<never, [message: Seq]> = { text: "DELETE FROM upload_use WHERE message = ?" };
export const LET_EXPIRE: Query<never, [now: number, lifetimeMs: number, id: string]> = {
  text: `UPDATE upload SET expires_at = max(?1, created_at + ?2)
    WHERE id = ?3 AND NOT EXISTS (SELECT 1 FROM upload_use WHERE upload = ?3)`,
};
/** Incomplete uploads whose blobs are in the bucket. */
export const COMING: Query<{ key: string; expires_at: number }, [now: number]> = {
  text: `SELECT key, expires_at FROM upload WHERE expires_at > ? AND sha256 IS NULL AND key NOT LIKE 'rows:%'`,
};
/** Keys of the blobs of all uploads. */
export const BLOB_KEYS = "SELECT key FROM upload";
