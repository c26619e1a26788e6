import type { Query } from "../lib/sql.ts";
import type { EntryRow } from "./schema.ts";

export const REPORT: Query<never, [string, string, string, number, number | null]> = {
  text: "INSERT OR REPLACE INTO entry (address, kind, status, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
};
export const REMOVE: Query<never, [string]> = { text: "DELETE FROM entry WHERE address = ?" };
export const LIST: Query<EntryRow, [after: string, status: string | null, nowMs: number, limit: number]> = {
  text: `SELECT address, kind, status, created_at, expires_at FROM entry
    WHERE address > ?1 AND (?2 IS NULL OR status = ?2) AND (expires_at IS NULL OR expires_at > ?3)
    ORDER BY address LIMIT ?4`,
};

export const END_SESSION: Query<never, [id: string, expiresAt: number]> = {
  text: "INSERT OR REPLACE INTO ended_session (id, expires_at) VALUES (?, ?)",
};
export const FIND_ENDED_SESSION: Query<{ id: string }, [id: string]> = {
  text: "SELECT id FROM ended_session WHERE id = ?",
};
export const FORGET_SESSIONS: Query<never, [nowMs: number]> = {
  text: "DELETE FROM ended_session WHERE expires_at <= ?",
};

export const READ_BUDGET: Query<{ since: number; spent: number }, [string]> = {
  text: "SELECT since, spent FROM budget WHERE kind = ?",
};
export const WRITE_BUDGET: Query<never, [string, number, number]> = {
  text: "INSERT OR REPLACE INTO budget (kind, since, spent) VALUES (?, ?, ?)",
};
