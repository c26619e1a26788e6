/**
 * Runs work that heeds a signal, which aborts when `ms` are over or when `given` does. The timer ends with the work: that of
 * AbortSignal.timeout outlives it and keeps an actor in memory.
 */
export async function withinTime<T>(
  ms: number,
  given: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const giveUp = (): void => controller.abort(given?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`Not done within ${ms} ms`)), ms);
  given?.addEventListener("abort", giveUp, { once: true });
  if (given?.aborted === true) giveUp();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener("abort", giveUp);
  }
}
