import type { DirectoryOrder, DirectorySearch, Tally } from "../contract/directory.ts";
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

type Only = NonNullable<DirectorySearch["only"]>;
const STATES: Record<Only, string> = {
  active: "status = 'active'",
  paused: "status = 'paused'",
  failing: "webhooks_failed = 1",
  kept: "kept_at IS NOT NULL",
  "cannot-send": "cannot_send = 1",
};
const LIVE = "(expires_at IS NULL OR expires_at > ?1)";

/** `text`: part of the address, or, if it has no @, of the part before the @; "" = any. */
type Search = [nowMs: number, text: string];
function found(only: DirectorySearch["only"]): string {
  const name = "iif(instr(?2, '@') > 0, address, substr(address, 1, instr(address, '@') - 1))";
  return `FROM entry WHERE ${only === null ? "" : `${STATES[only]} AND `}${LIVE} AND (?2 = '' OR instr(${name}, ?2) > 0)`;
}

const ORDERS: Record<DirectoryOrder, { after: string; by: string }> = {
  address: { after: "address > ?4", by: "address" },
  "-address": { after: "address < ?4", by: "address DESC" },
  created: { after: "(created_at, address) > (?3, ?4)", by: "created_at, address" },
  "-created": { after: "(created_at, address) < (?3, ?4)", by: "created_at DESC, address DESC" },
};

/** The mailboxes after an entry in this order. */
export function findQuery(
  only: DirectorySearch["only"],
  order: DirectoryOrder,
): Query<EntryRow, [...Search, createdAt: number, address: string, limit: number]> {
  const { after, by } = ORDERS[order];
  return { text: `SELECT ${ENTRY} ${found(only)} AND ${after} ORDER BY ${by} LIMIT ?5` };
}

export function countQuery(only: DirectorySearch["only"]): Query<{ count: number }, Search> {
  return { text: `SELECT count(*) AS count ${found(only)}` };
}

/** SQLite counts all rows of a table without reading them. */
export const TALLY: Query<Tally, [nowMs: number]> = {
  text: `SELECT (SELECT count(*) FROM entry) - (SELECT count(*) FROM entry WHERE expires_at <= ?1) AS total,
    (SELECT count(*) FROM entry WHERE ${STATES.paused} AND ${LIVE}) AS paused,
    (SELECT count(*) FROM entry WHERE ${STATES.failing} AND ${LIVE}) AS failing,
    (SELECT count(*) FROM entry WHERE ${STATES["cannot-send"]} AND ${LIVE}) AS cannotSend`,
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
