import type { Database, Query } from "../lib/sql.ts";
import { oldestEntry } from "./log.ts";

/** Entries stay up to this much longer, so that an alarm erases many at once. */
const SLACK_MS = 3_600_000;
/** Rows erased in one step, so that nobody waits long behind it. */
const BATCH = 2_000;

const ERASE_EVENTS: Query<never, [before: number, limit: number]> = {
  text: "DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE at < ? ORDER BY seq LIMIT ? + 0)",
};

/** When entries written at `at` must be erased at the latest; both ms since 1970. */
export function erasedBy(at: number, retentionMs: number): number {
  return at + retentionMs + SLACK_MS;
}

/** When the oldest entry of the log must be erased; null while the log is empty. */
export function retentionDue(db: Database, retentionMs: number): number | null {
  const oldest = oldestEntry(db);
  return oldest === null ? null : erasedBy(oldest.at, retentionMs);
}

/** Erases what the log kept long enough, as much as one step may; the rest stays due. */
export function prune(db: Database, retentionMs: number, nowMs: number): void {
  const due = retentionDue(db, retentionMs);
  if (due !== null && due <= nowMs) db.run(ERASE_EVENTS, nowMs - retentionMs, BATCH);
}
