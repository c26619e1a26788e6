import type { Query } from "../lib/sql.ts";
import type { EntryRow, HolderRow } from "./schema.ts";

const ENTRY = "address, kind, status, created_at, expires_at, webhooks_failed, kept_at, cannot_send";

export const REPORT: Query<
  never,
  [
    ...[string, string, string, number, number | null],
    ...[webhooksFailed: number, keptAt: number | null, cannotSend: number],
  ]
> = {
  text: `INSERT OR REPLACE INTO entry (${ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
};
export const REMOVE: Query<never, [string]> = { text: "DELETE FROM entry WHERE address = ?" };
export const LIST: Query<EntryRow, [after: string, status: string | null, nowMs: number, limit: number]> = {
  text: `SELECT ${ENTRY} FROM entry
    WHERE address > ?1 AND (?2 IS NULL OR status = ?2) AND (expires_at IS NULL OR expires_at > ?3)
    ORDER BY address LIMIT ?4`,
};
export const FIND_KIND: Query<Pick<EntryRow, "kind">, [address: string]> = {
  text: "SELECT kind FROM entry WHERE address = ?",
};
export const QUARANTINE: Query<never, [address: string, untilMs: number]> = {
  text: "INSERT OR REPLACE INTO quarantine (address, until) VALUES (?, ?)",
};
export const RETIRE: Query<never, [locator: ArrayBuffer]> = {
  text: "INSERT OR IGNORE INTO retired (locator) VALUES (?)",
};
export const FIND_RETIRED: Query<{ locator: ArrayBuffer }, [locator: ArrayBuffer]> = {
  text: "SELECT locator FROM retired WHERE locator = ?",
};
export const END_QUARANTINES: Query<never, [nowMs: number]> = {
  text: "DELETE FROM quarantine WHERE until <= ?",
};
export const FIND_QUARANTINE: Query<{ until: number }, [address: string, nowMs: number]> = {
  text: "SELECT until FROM quarantine WHERE address = ? AND until > ?",
};

/** `text`: part of the address, or, if it has no @, of the part before the @; "" = any. */
type Search = [text: string, only: string | null, nowMs: number];
const FOUND = `(?1 = '' OR instr(iif(instr(?1, '@') > 0, address, substr(address, 1, instr(address, '@') - 1)), ?1) > 0)
  AND (expires_at IS NULL OR expires_at > ?3)
  AND CASE ?2 WHEN 'failing' THEN webhooks_failed = 1 WHEN 'kept' THEN kept_at IS NOT NULL
    WHEN 'cannot-send' THEN cannot_send = 1 ELSE ?2 IS NULL OR status = ?2 END`;
export const FIND: Query<EntryRow, [...Search, after: string, limit: number]> = {
  text: `SELECT ${ENTRY} FROM entry WHERE ${FOUND} AND address > ?4 ORDER BY address LIMIT ?5`,
};
export const COUNT: Query<{ count: number }, Search> = {
  text: `SELECT count(*) AS count FROM entry WHERE ${FOUND}`,
};
export const NEWEST_KEPT: Query<EntryRow, [nowMs: number, limit: number]> = {
  text: `SELECT ${ENTRY} FROM entry WHERE kept_at IS NOT NULL AND (expires_at IS NULL OR expires_at > ?1)
    ORDER BY kept_at DESC LIMIT ?2`,
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

export const READ_HOLDER: Query<HolderRow, []> = { text: "SELECT locator, since, seen_at FROM holder" };
export const WRITE_HOLDER: Query<never, [locator: string, since: number, seenAt: number]> = {
  text: "INSERT INTO holder (one, locator, since, seen_at) VALUES (1, ?, ?, ?)",
};
export const SAW_HOLDER: Query<never, [seenAt: number]> = { text: "UPDATE holder SET seen_at = ?" };
