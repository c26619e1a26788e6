/** Letters that may be wrong in a name. */
const MAX_SLIPS = 2;
/** Longer names are not compared. */
const MAX_CHARS = 32;

/**
 * The name of `known`, which are in lower case, that was most likely meant by `written`; null if each differs in more than
 * `maxSlips` letters.
 */
export function nearName(
  written: string,
  known: readonly string[],
  maxSlips: number = MAX_SLIPS,
): string | null {
  if (written.length > MAX_CHARS) return null;
  const near = known
    .map((name) => ({ name, slips: slipsBetween(written.toLowerCase(), name) }))
    .filter(({ name, slips }) => slips <= Math.min(maxSlips, Math.floor(name.length / 2)))
    .toSorted((a, b) => a.slips - b.slips);
  return near[0]?.name ?? null;
}

/** Letters to add, leave out or change (Levenshtein). */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [at, letter] of Array.from(a).entries()) {
    const next = [at + 1];
    for (let index = 1; index <= b.length; index += 1) {
      const changed = (row[index - 1] ?? 0) + (letter === b[index - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
