import type { Database, Query } from "../lib/sql.ts";
import { SEQ_PER_MS, seqTime, type Seq } from "../lib/ids.ts";
import { oldestEntry } from "./log.ts";

/** Entries stay up to this much longer, so that an alarm erases many at once. */
const SLACK_MS = 3_600_000;
/** Rows erased in one step, so that nobody waits long behind it. */
const BATCH = 2_000;

const ERASE_EVENTS: Query<never, [before: number, limit: number]> = {
  text: "DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE at < ? ORDER BY seq LIMIT ? + 0)",
};
const OLDEST_DELIVERY: Query<{ id: Seq }, []> = { text: "SELECT id FROM delivery ORDER BY id LIMIT 1" };
const ERASE_ATTEMPTS: Query<never, [below: Seq, limit: number]> = {
  text: `DELETE FROM attempt WHERE delivery IN (SELECT id FROM delivery WHERE id < ? ORDER BY id LIMIT ? + 0)`,
};
const ERASE_DELIVERIES: Query<never, [below: Seq, limit: number]> = {
  text: "DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE id < ? ORDER BY id LIMIT ? + 0)",
};

/** When entries written at `at` must be erased at the latest; both ms since 1970. */
export function erasedBy(at: number, retentionMs: number): number {
  return at + retentionMs + SLACK_MS;
}

/** When the oldest entry of the log, or delivery of a webhook, must be erased; null while there is none. */
export function retentionDue(db: Database, retentionMs: number): number | null {
  const event = oldestEntry(db)?.at ?? Infinity;
  const delivery = db.first(OLDEST_DELIVERY);
  const oldest = Math.min(event, delivery === null ? Infinity : seqTime(delivery.id));
  return oldest === Infinity ? null : erasedBy(oldest, retentionMs);
}

/** Erases what was kept long enough, as much as one step may; the rest stays due. */
export function prune(db: Database, retentionMs: number, nowMs: number): void {
  const due = retentionDue(db, retentionMs);
  if (due === null || due > nowMs) return;
  const before = nowMs - retentionMs;
  db.transaction(() => {
    db.run(ERASE_EVENTS, before, BATCH);
    db.run(ERASE_ATTEMPTS, before * SEQ_PER_MS, BATCH);
    db.run(ERASE_DELIVERIES, before * SEQ_PER_MS, BATCH);
  });
}
