/**
 * The log of a restored mailbox goes on after a multiple of this number, and no entry has that number. Events between the
 * backup and the restore had numbers that clients and receivers of webhooks saw: new events must not have them again.
 */
export const RESTORE_STEP = 1_000_000;

/** The newest number of a log that was restored from a backup in which it was `last`. */
export function lastAfterRestore(last: number): number {
  return nextMark(last) + RESTORE_STEP;
}

/** The lowest multiple above `last`. */
export function nextMark(last: number): number {
  return (Math.floor(last / RESTORE_STEP) + 1) * RESTORE_STEP;
}

/** The highest multiple up to `last`; 0 if there is none. */
export function markUpTo(last: number): number {
  return Math.floor(last / RESTORE_STEP) * RESTORE_STEP;
}
