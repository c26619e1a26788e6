import type { ImportStatus } from "../../contract/moving.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";

/** An import: `receiving` while its archive arrives, `gone` once it was broken off or cancelled. */
export type ImportRow = {
  position: number;
  id: string;
  /** The blob of the archive. */
  key: string;
  format: string;
  /** JSON array: labels for every message. */
  labels: string;
  size_bytes: number;
  status: ImportStatus | "receiving" | "gone";
  /** Where the next message begins, in bytes of the archive. */
  cursor: number;
  imported: number;
  duplicates: number;
  failed: number;
  error: string | null;
  /** Attempts that began since `cursor` moved. */
  attempts: number;
  /** ms since 1970, as `due_at`: when work begins or a lease ends, or the row is erased. */
  created_at: number;
  due_at: number;
};

const ALL = `position, id, key, format, labels, size_bytes, status, cursor, imported, duplicates, failed, error,
    attempts, created_at, due_at`;
const WORKING = "status IN ('waiting', 'running')";

export const INSERT: Query<
  never,
  [
    ...[id: string, key: string, format: string, labels: string, sizeBytes: number, roomBytes: number],
    ...[createdAt: number, dueAt: number],
  ]
> = {
  text: `INSERT INTO import (id, key, format, labels, size_bytes, room_bytes, status, created_at, due_at)
    VALUES (?, ?, ?, ?, ?, ?, 'receiving', ?, ?)`,
};
export const FIND: Query<ImportRow, [id: string]> = { text: `SELECT ${ALL} FROM import WHERE id = ?` };
export const COMPLETE: Query<never, [sizeBytes: number, roomBytes: number, dueAt: number, id: string]> = {
  text: "UPDATE import SET status = 'waiting', size_bytes = ?, room_bytes = ?, due_at = ? WHERE id = ?",
};
/** Room that imports may still take which are not over. */
export const SUM_ROOM: Query<{ bytes: number }, []> = {
  text: `SELECT coalesce(sum(room_bytes), 0) AS bytes FROM import
    WHERE status IN ('receiving', 'waiting', 'running')`,
};
export const COUNT_OPEN: Query<{ count: number }, []> = {
  text: "SELECT count(*) AS count FROM import WHERE status IN ('receiving', 'waiting', 'running')",
};
export const COUNT_SINCE: Query<{ count: number }, [createdAt: number]> = {
  text: "SELECT count(*) AS count FROM import WHERE created_at > ?",
};
/** The oldest import with work, if it is due: a later one waits for it. */
export const NEXT: Query<ImportRow, []> = {
  text: `SELECT ${ALL} FROM import WHERE ${WORKING} ORDER BY position LIMIT 1`,
};
export const LEASE: Query<never, [dueAt: number, id: string]> = {
  text: `UPDATE import SET status = 'running', due_at = ? WHERE id = ? AND ${WORKING}`,
};
/** Notes an attempt before it begins, so that one which ends the process counts too. */
export const BEGIN: Query<never, [dueAt: number, id: string]> = {
  text: `UPDATE import SET status = 'running', due_at = ?, attempts = attempts + 1 WHERE id = ? AND ${WORKING}`,
};
export const ADVANCE: Query<
  never,
  [cursor: number, imported: number, duplicates: number, failed: number, id: string]
> = {
  text: `UPDATE import SET cursor = ?, imported = imported + ?, duplicates = duplicates + ?, failed = failed + ?,
    attempts = 0 WHERE id = ?`,
};
export const FINISH: Query<never, [status: ImportStatus, error: string | null, dueAt: number, id: string]> = {
  text: "UPDATE import SET status = ?, error = ?, due_at = ? WHERE id = ?",
};
/** Imports that are over, and archives that did not arrive in time. */
export const EXPIRED: Query<ImportRow, [nowMs: number]> = {
  text: `SELECT ${ALL} FROM import WHERE due_at <= ? AND NOT ${WORKING} ORDER BY due_at LIMIT 100`,
};
export const NEXT_EXPIRY: Query<{ due_at: number }, []> = {
  text: `SELECT due_at FROM import WHERE NOT ${WORKING} ORDER BY due_at LIMIT 1`,
};
/** Imports count within their day, whatever becomes of them. */
export const LEAVE: Query<never, [dueAt: number, id: string]> = {
  text: "UPDATE import SET status = 'gone', due_at = ? WHERE id = ?",
};
export const REMOVE: Query<never, [id: string]> = { text: "DELETE FROM import WHERE id = ?" };
export const FORGET_THREADS: Query<never, []> = {
  text: "DELETE FROM import_thread WHERE NOT EXISTS (SELECT 1 FROM import)",
};
/** Archives that may still be written when the mailbox ends. */
export const COMING: Query<{ key: string; due_at: number }, []> = {
  text: "SELECT key, due_at FROM import WHERE status = 'receiving'",
};
export const BLOB_KEYS = `SELECT key FROM import WHERE status IN ('receiving', 'waiting', 'running')`;

export const FIND_IMPORTED: Query<{ seq: Seq }, [digest: string]> = {
  text: "SELECT i.seq FROM imported_mail i JOIN message m ON m.seq = i.seq WHERE i.digest = ?",
};
/** REPLACE also forgets an erased message whose number the new one has. */
export const REMEMBER: Query<never, [digest: string, Seq]> = {
  text: "INSERT OR REPLACE INTO imported_mail (digest, seq) VALUES (?, ?)",
};
export const FIND_THREAD: Query<{ thread: Seq }, [name: string]> = {
  text: "SELECT thread FROM import_thread WHERE name = ?",
};
export const LEARN_THREAD: Query<never, [name: string, thread: Seq]> = {
  text: "INSERT OR REPLACE INTO import_thread (name, thread) VALUES (?, ?)",
};
/** Messages of the same millisecond with the same listing: candidates for duplicates. */
export const FIND_TWINS: Query<{ seq: Seq }, [from: Seq, to: Seq, listing: string]> = {
  // An import never knows who sent the message, so it is compared without `sender_verified`, the first member.
  text: `SELECT seq FROM message WHERE seq >= ? AND seq < ?
    AND substr(listing, instr(listing, '"text_truncated"')) = substr(?3, instr(?3, '"text_truncated"')) LIMIT 32`,
};
export const NEWEST_WITHIN: Query<{ seq: Seq | null }, [from: Seq, to: Seq]> = {
  text: "SELECT max(seq) AS seq FROM message WHERE seq >= ? AND seq < ?",
};
/** Where the bytes of a message are: in `raw`, in the blob `raw_key`, or, of one that is composed when read, in neither. */
export const READ_STORED: Query<
  { raw: ArrayBuffer | null; raw_key: string | null; size_bytes: number; direction: string },
  [Seq]
> = {
  text: `SELECT c.raw, c.raw_key, m.size_bytes, m.direction FROM content c JOIN message m ON m.seq = c.seq
    WHERE c.seq = ?`,
};
