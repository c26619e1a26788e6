import type { EventKind, LoggedData } from "../contract/event.ts";
import type { Database, Query } from "../lib/sql.ts";
import type { Account } from "./account.ts";

/** One entry of a mailbox's log. */
export interface LoggedEvent {
  /** From 1, without gaps. */
  seq: number;
  kind: EventKind;
  /** ms since 1970; never smaller than that of the entry before. */
  at: number;
  data: LoggedData;
}

type EventRow = { seq: number; kind: EventKind; at: number; data: string };

const APPEND: Query<never, [seq: number, kind: string, at: number, data: string]> = {
  text: "INSERT INTO event (seq, kind, at, data) VALUES (?, ?, ?, ?)",
};
const EVENTS_AFTER: Query<EventRow, [after: number, limit: number]> = {
  text: "SELECT seq, kind, at, data FROM event WHERE seq > ? ORDER BY seq LIMIT ? + 0",
};
const OLDEST: Query<{ seq: number }, []> = { text: "SELECT seq FROM event ORDER BY seq LIMIT 1" };
const AT: Query<{ at: number }, [seq: number]> = { text: "SELECT at FROM event WHERE seq = ?" };

/**
 * Writes the next entry; inside the transaction of the change that it tells of. The caller writes `account.row`
 * (`last_event`) in the same transaction: so the number survives the entry, which is erased after some days.
 */
export function append(
  db: Database,
  account: Account,
  entry: { kind: EventKind; at: number; data: LoggedData },
): LoggedEvent {
  const seq = account.row.last_event + 1;
  db.run(APPEND, seq, entry.kind, entry.at, JSON.stringify(entry.data));
  account.row.last_event = seq;
  return { seq, ...entry };
}

/** Entries after `after`, oldest first. */
export function eventsAfter(db: Database, after: number, limit: number): LoggedEvent[] {
  return db
    .all(EVENTS_AFTER, after, limit)
    .map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as LoggedData }));
}

/** The oldest entry that is kept; null if none is. */
export function oldestSeq(db: Database): number | null {
  return db.first(OLDEST)?.seq ?? null;
}

/** The last entry before `sinceMs`: what a replay from that time goes on after. Times never fall, so it is searched by halves. */
export function seqBefore(db: Database, account: Account, sinceMs: number): number {
  let low = (oldestSeq(db) ?? account.row.last_event + 1) - 1;
  let high = account.row.last_event;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const at = db.first(AT, middle)?.at ?? 0;
    if (at < sinceMs) low = middle;
    else high = middle - 1;
  }
  return low;
}
