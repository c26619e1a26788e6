/**
 * When the one alarm of an actor must ring: the earliest due time, at once when it has passed, null when nothing is due.
 * `due` and the answer are ms since 1970; null entries are jobs without a date.
 */
export function nextWake(due: readonly (number | null)[], nowMs: number): number | null {
  const dates = due.filter((date) => date !== null);
  return dates.length === 0 ? null : Math.max(nowMs, Math.min(...dates));
}
