import { UPLOAD_LIFETIME_MS } from "../contract/limits.ts";
import { isRowsKey } from "../blobs/rows.ts";
import { notFound, type Answer } from "../contract/problem.ts";
import type { Upload } from "../contract/upload.ts";
import type { Seq } from "../lib/ids.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Database, Query } from "../lib/sql.ts";
import type { Account } from "./account.ts";
import { ORPHAN_AFTER_MS } from "./erasure.ts";
import type { UploadRow } from "./schema.ts";
import * as statements from "./statements.ts";

/** A file that is about to come in. */
export interface NewUpload {
  id: string;
  key: string;
  filename: string;
  contentType: string;
}

/** What is known of a file once its blob is whole. */
export interface WholeUpload {
  id: string;
  sizeBytes: number;
  sha256: string;
  /** What it is called and what it is, where nobody knew when room was kept for it. */
  named?: { filename: string; contentType: string };
}

/** A file that is there whole. */
export interface StoredUpload {
  id: string;
  /** Where its bytes lie in the blob store. */
  key: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** ms since 1970; null = a message uses it. */
  expiresAt: number | null;
}

/** Uploads that one step expires, so that nobody waits long behind it. */
const BATCH = 500;

const COLUMNS = "id, key, filename, content_type, size_bytes, sha256, created_at, expires_at";
const INSERT: Query<never, [string, string, string, string, number, number, number]> = {
  text: `INSERT INTO upload (id, key, filename, content_type, size_bytes, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
const FIND: Query<UploadRow, [id: string]> = { text: `SELECT ${COLUMNS} FROM upload WHERE id = ?` };
const COMPLETE: Query<
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
const REMOVE: Query<never, [id: string]> = { text: "DELETE FROM upload WHERE id = ?" };
const NEXT_DUE: Query<{ due: number | null }, []> = {
  text: "SELECT min(expires_at) AS due FROM upload WHERE expires_at IS NOT NULL",
};
const EXPIRED: Query<UploadRow, [now: number, limit: number]> = {
  text: `SELECT ${COLUMNS} FROM upload WHERE expires_at <= ? ORDER BY expires_at LIMIT ? + 0`,
};
const USE: Query<never, [message: Seq, upload: string]> = {
  text: "INSERT OR IGNORE INTO upload_use (message, upload) VALUES (?, ?)",
};
const KEEP: Query<never, [id: string]> = { text: "UPDATE upload SET expires_at = NULL WHERE id = ?" };
const USED_BY: Query<{ upload: string }, [message: Seq]> = {
  text: "SELECT upload FROM upload_use WHERE message = ?",
};
const UNUSE: Query<never, [message: Seq]> = { text: "DELETE FROM upload_use WHERE message = ?" };
const LET_EXPIRE: Query<never, [now: number, lifetimeMs: number, id: string]> = {
  text: `UPDATE upload SET expires_at = max(?1, created_at + ?2)
    WHERE id = ?3 AND NOT EXISTS (SELECT 1 FROM upload_use WHERE upload = ?3)`,
};

/**
 * Keeps `sizeBytes` of room for a file whose blob is written next; inside one transaction. One that does not become whole in
 * time is erased like any other.
 */
export function beginUpload(
  db: Database,
  account: Account,
  upload: NewUpload & { sizeBytes: number },
  nowMs: number,
): void {
  const { id, key, filename, contentType, sizeBytes } = upload;
  db.run(INSERT, id, key, filename, contentType, sizeBytes, nowMs, nowMs + ORPHAN_AFTER_MS);
  account.countStorage(sizeBytes);
}

/** Notes that the blob of an upload is whole; inside one transaction. 503 if it came too late and may be erased already. */
export function completeUpload(
  db: Database,
  account: Account,
  whole: WholeUpload,
  nowMs: number,
): Answer<Upload> {
  const { id, sizeBytes, sha256 } = whole;
  const row = db.first(FIND, id);
  if (row === null) return refused({ code: "unavailable", error: "The upload took too long; try again" });
  const expiresAt = nowMs + UPLOAD_LIFETIME_MS;
  const { filename, contentType } = whole.named ?? { filename: row.filename, contentType: row.content_type };
  db.run(COMPLETE, filename, contentType, sizeBytes, sha256, nowMs, expiresAt, id);
  account.countStorage(sizeBytes - row.size_bytes);
  return done({
    id,
    filename,
    content_type: contentType,
    size_bytes: sizeBytes,
    sha256,
    expires_at: new Date(expiresAt).toISOString(),
  });
}

/** Gives up an upload that did not become whole; inside one transaction. */
export function abandonUpload(db: Database, account: Account, id: string, nowMs: number): void {
  const row = db.first(FIND, id);
  if (row !== null && row.sha256 === null) remove(db, account, row, nowMs);
}

/** Erases those of some uploads that no message uses, whatever time they have left; inside one transaction. */
export function discardUploads(db: Database, account: Account, ids: readonly string[], nowMs: number): void {
  for (const id of ids) {
    const row = db.first(FIND, id);
    if (row !== null && row.expires_at !== null) remove(db, account, row, nowMs);
  }
}

/** When the next upload expires, in ms since 1970; null while none does. */
export function uploadsDue(db: Database): number | null {
  return db.first(NEXT_DUE)?.due ?? null;
}

/** Erases uploads whose time is over, as many as one step may; inside one transaction. The rest stays due, and so do the blobs. */
export function expireUploads(db: Database, account: Account, nowMs: number): void {
  for (const row of db.all(EXPIRED, nowMs, BATCH)) remove(db, account, row, nowMs);
}

function remove(db: Database, account: Account, row: UploadRow, nowMs: number): void {
  db.run(REMOVE, row.id);
  db.run(statements.PLAN_ERASURE, row.key, nowMs);
  // A bucket may store what it was told to after whoever told it gave up.
  if (row.sha256 === null && row.expires_at !== null && !isRowsKey(row.key))
    db.run(statements.KEEP_LATE_BLOB, row.key, row.expires_at);
  account.countStorage(-row.size_bytes);
}

/** An upload that is whole and not over; null if there is none. */
export function findUpload(db: Database, id: string, nowMs: number): StoredUpload | null {
  const row = db.first(FIND, id.toLowerCase());
  if (row === null || row.sha256 === null) return null;
  // Time alone ends it, however late the alarm.
  if (row.expires_at !== null && row.expires_at <= nowMs) return null;
  return {
    id: row.id,
    key: row.key,
    filename: row.filename,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    expiresAt: row.expires_at,
  };
}

/**
 * Lets a message use uploads, which then stay as long as it needs them; inside the transaction that accepts the message, and
 * with all of them or none. Any number of messages may use one upload. 404 if one is over.
 */
export function useUploads(db: Database, message: Seq, ids: readonly string[], nowMs: number): Answer<null> {
  const found = ids.map((id) => findUpload(db, id, nowMs));
  if (found.includes(null)) return refused(notFound("Attachment"));
  for (const upload of found) {
    if (upload === null) continue;
    db.run(USE, message, upload.id);
    db.run(KEEP, upload.id);
  }
  return done(null);
}

/**
 * Ends a message's use of its uploads; inside one transaction. Those that no other message uses expire 24 hours after they
 * came, at once if that is past; the caller sets the alarm. Done twice it is done once.
 */
export function releaseUploads(db: Database, message: Seq, nowMs: number): void {
  const used = db.all(USED_BY, message);
  db.run(UNUSE, message);
  for (const { upload } of used) db.run(LET_EXPIRE, nowMs, UPLOAD_LIFETIME_MS, upload);
}
