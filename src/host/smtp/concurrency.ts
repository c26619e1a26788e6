/** Runs a task as soon as fewer than the limit are running, in order of arrival. */
export type RunLimited = <T>(task: () => Promise<T>) => Promise<T>;

/** Returns a function that runs at most `limit` tasks at a time. */
export function limitConcurrency(limit: number): RunLimited {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The next in line takes the place over, so that no newcomer can overtake it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
