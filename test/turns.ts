/** Counts how often the event loop runs other tasks during `work`. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const finished = { yet: false };
  const over = work.finally(() => (finished.yet = true));
  let turns = 0;
  for (; !finished.yet; turns += 1) await scheduler.wait(0);
  await over;
  return turns;
}
