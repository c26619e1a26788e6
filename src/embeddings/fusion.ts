import type { Neighbour } from "./vectors.ts";

/** How much the first places outweigh those after them (architecture 14). */
const K = 60;
/** What the first place of both lists gives. */
const BEST = 2 / (K + 1);

/**
 * One order of two: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), which compares places and no scores, as those
 * of words and of meanings have no common measure. Scores are from 0 to 1, which is the first place in both.
 */
export function fused(one: readonly number[], two: readonly number[]): Neighbour[] {
  const scores = new Map<number, number>();
  for (const list of [one, two]) {
    for (const [place, id] of list.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (K + place + 1) / BEST);
    }
  }
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .toSorted((a, b) => b.score - a.score || b.id - a.id);
}
