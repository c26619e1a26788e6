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
/** `kinds`: a JSON array of those wanted; null = all. */
const EVENTS_AFTER: Query<EventRow, [after: number, kinds: string | null, limit: number]> = {
  text: `SELECT seq, kind, at, data FROM event WHERE seq > ?1
    AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2))) ORDER BY seq LIMIT ?3 + 0`,
};
const OLDEST: Query<{ seq: number; at: number }, []> = {
  text: "SELECT seq, at FROM event ORDER BY seq LIMIT 1",
};
const AT: Query<{ at: number }, [seq: number]> = { text: "SELECT at FROM event WHERE seq = ?" };

/** Time of the newest entry; read once in an actor's life. 0 where none is kept. */
function newestAt(db: Database, account: Account): number {
  const { last_event } = account.row;
  account.newestEventAt ??= last_event === 0 ? 0 : (db.first(AT, last_event)?.at ?? 0);
  return account.newestEventAt;
}

/**
 * Writes the next entry, not before the one before it in time, though the clock went back; inside the transaction of the change that it tells of. The caller writes `account.row`
 * (`last_event`) in the same transaction: so the number survives the entry, which is erased after some days.
 */
export function append(
  db: Database,
  account: Account,
  entry: { kind: EventKind; at: number; data: LoggedData },
): LoggedEvent {
  const seq = account.row.last_event + 1;
  const at = Math.max(entry.at, newestAt(db, account));
  db.run(APPEND, seq, entry.kind, at, JSON.stringify(entry.data));
  account.row.last_event = seq;
  account.newestEventAt = at;
  return { ...entry, seq, at };
}

/** Entries after `after`, oldest first; of `kinds`, or of all if that is null. */
export function eventsAfter(
  db: Database,
  after: number,
  limit: number,
  kinds: readonly EventKind[] | null = null,
): LoggedEvent[] {
  return db
    .all(EVENTS_AFTER, after, kinds === null ? null : JSON.stringify(kinds), limit)
    .map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as LoggedData }));
}

/** The oldest entry that is kept, with its time; null if none is. */
export function oldestEntry(db: Database): { seq: number; at: number } | null {
  return db.first(OLDEST);
}

/** Number of the oldest entry that is kept; one above the newest if none is any more, 0 before the first. */
export function oldestSeq(db: Database, account: Account): number {
  const { last_event } = account.row;
  return oldestEntry(db)?.seq ?? (last_event === 0 ? 0 : last_event + 1);
}

/** The last entry before `sinceMs`: what a replay from that time goes on after. Times never fall, so it is searched by halves. */
export function seqBefore(db: Database, account: Account, sinceMs: number): number {
  let low = Math.max(0, oldestSeq(db, account) - 1);
  let high = account.row.last_event;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const at = db.first(AT, middle)?.at ?? 0;
    if (at < sinceMs) low = middle;
    else high = middle - 1;
  }
  return low;
}
