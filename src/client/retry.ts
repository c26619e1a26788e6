/** The longest pause before the first repeat, in ms; it doubles with each repeat. */
const FIRST_PAUSE_MS = 250;
/** The longest pause of our own, in ms. */
const LONGEST_PAUSE_MS = 8_000;

/**
 * The pause before the next repeat, in ms: never shorter than the service asks for, and spread at random over the whole
 * exponential pause, so that many clients do not come back together. Null if the deadline would be over.
 * @param repeats repeats of the call before.
 * @param retryAfterMs the wait that the service asks for; null if it does not say.
 * @param bounds `remainingMs` until the caller's deadline, Infinity without one, and a `random` number from 0 to 1.
 */
export function pauseBefore(
  repeats: number,
  retryAfterMs: number | null,
  { remainingMs, random }: { remainingMs: number; random: number },
): number | null {
  const pauseMs = (retryAfterMs ?? 0) + random * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** repeats);
  return pauseMs < remainingMs ? pauseMs : null;
}
