/** Entries stay up to this much longer, so that an alarm erases many at once. */
const SLACK_MS = 3_600_000;
/** Rows erased in one step, so that nobody waits long behind it. */
export const ERASED_AT_ONCE = 2_000;

/** When entries written at `at` must be erased at the latest; both ms since 1970. */
export function erasedBy(at: number, retentionMs: number): number {
  return at + retentionMs + SLACK_MS;
}
