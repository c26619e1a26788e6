/** Entries stay up to this much longer than the retention, so that one alarm erases many. */
const SLACK_MS = 3_600_000;
/** Rows erased in one step. Other calls wait for a step to end. */
export const ERASED_AT_ONCE = 2_000;

/** The latest time at which entries written at `at` must be erased; all in ms, times since 1970. */
export function erasedBy(at: number, retentionMs: number): number {
  return at + retentionMs + SLACK_MS;
}
