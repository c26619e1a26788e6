/**
 * When the one alarm of an actor must ring: the earliest due time, at once when it has passed, null when nothing is due.
 * `due` and the answer are ms since 1970; null entries are jobs without a date.
 */
export function nextWake(due: readonly (number | null)[], nowMs: number): number | null {
  const dates = due.filter((date) => date !== null);
  return dates.length === 0 ? null : Math.max(nowMs, Math.min(...dates));
}

/** Sets the alarm of an actor to whatever of `due` comes first, or to nothing. */
export async function setAlarmTo(
  storage: DurableObjectStorage,
  due: readonly (number | null)[],
): Promise<void> {
  const wake = nextWake(due, Date.now());
  const armed = await storage.getAlarm();
  if (wake === null && armed !== null) await storage.deleteAlarm();
  if (wake !== null && wake !== armed) await storage.setAlarm(wake);
}
