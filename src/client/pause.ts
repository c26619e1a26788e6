/** Timers take a signed number of 32 bits. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits `ms`; rejects with the signal's reason as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      },
      Math.min(ms, LONGEST_TIMER_MS),
    );
    if (signal?.aborted) leave();
    else signal?.addEventListener("abort", leave, { once: true });
  });
}
