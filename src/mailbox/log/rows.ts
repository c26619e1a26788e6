import type { EventKind, LoggedData } from "../../contract/event.ts";
import type { Query } from "../../lib/sql.ts";
import { ROWS_A_TURN } from "../turns.ts";

/** One entry of a mailbox's log. */
export interface LoggedEvent {
  /** From 1, without gaps. */
  seq: number;
  kind: EventKind;
  /** ms since 1970; never smaller than that of the entry before. */
  at: number;
  data: LoggedData;
}

export type EventRow = { seq: number; kind: EventKind; at: number; data: string };

export const APPEND: Query<never, [seq: number, kind: string, at: number, data: string]> = {
  text: "INSERT INTO event (seq, kind, at, data) VALUES (?, ?, ?, ?)",
};
/** `kinds`: a JSON array of those wanted; null = all. */
export const EVENTS_AFTER: Query<EventRow, [after: number, kinds: string | null, limit: number]> = {
  text: `SELECT seq, kind, at, data FROM event WHERE seq > ?1
    AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2))) ORDER BY seq LIMIT ?3 + 0`,
};
/** As EVENTS_AFTER, among ROWS_A_TURN entries. */
export const EVENTS_OF_TURN: Query<EventRow, [after: number, kinds: string, limit: number]> = {
  text: `SELECT seq, kind, at, data
    FROM (SELECT seq, kind, at, data FROM event WHERE seq > ?1 ORDER BY seq LIMIT ${ROWS_A_TURN})
    WHERE kind IN (SELECT value FROM json_each(?2)) LIMIT ?3 + 0`,
};
/** The last of these entries; no row if none follows it. A restored mailbox has left numbers out, so they are counted. */
export const END_OF_TURN: Query<{ seq: number }, [after: number]> = {
  text: `SELECT seq FROM event WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ${ROWS_A_TURN - 1}`,
};
export const OLDEST: Query<{ seq: number; at: number }, []> = {
  text: "SELECT seq, at FROM event ORDER BY seq LIMIT 1",
};
export const AT: Query<{ seq: number }, [seq: number]> = { text: "SELECT seq FROM event WHERE seq = ?" };
export const NEXT: Query<{ seq: number }, [after: number]> = {
  text: "SELECT seq FROM event WHERE seq > ? ORDER BY seq LIMIT 1",
};
/** The time of an entry, or of the one before: a restored mailbox has left numbers out. */
export const TIME_OF: Query<{ at: number }, [seq: number]> = {
  text: "SELECT at FROM event WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
};
/** Erases the oldest entries: those up to `last`, `limit` at most. */
export const ERASE: Query<never, [last: number, limit: number]> = {
  text: "DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE seq <= ? ORDER BY seq LIMIT ? + 0)",
};
