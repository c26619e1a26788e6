/** The result of `work`; null as soon as `signal` is aborted, whatever becomes of the work. */
export async function unlessAborted<Result>(
  signal: AbortSignal,
  work: Promise<Result>,
): Promise<Result | null> {
  const waiting = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { signal: waiting.signal });
  });
  try {
    return signal.aborted ? null : await Promise.race([work, aborted]);
  } finally {
    waiting.abort();
  }
}

/** Resolves after `ms`. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
