/** Runs a task as soon as fewer than the limit are running, in order of arrival. */
export type Gate = <T>(task: () => Promise<T>) => Promise<T>;

/** Makes a gate that lets `limit` tasks through at a time. */
export function createGate(limit: number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The place goes to the next in line without becoming free, so that nobody can step in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
