import type { Neighbour } from "./vectors.ts";

/** The constant of reciprocal rank fusion: the smaller, the more the first ranks count. 60 is that of the paper below. */
const K = 60;
/** The sum for the first rank in both lists. */
const BEST = 2 / (K + 1);

/**
 * Merges two rankings by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). It compares ranks and not scores, because
 * scores of words and of meanings have no common scale. The result has scores from 0 to 1; 1 is the first rank in both.
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
