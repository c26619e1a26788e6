/** Whether something holds, and the points that it is worth. */
export type Evidence = readonly [boolean, number];

/** The points of all that holds. */
export const pointsOf = (...evidence: readonly Evidence[]): number =>
  evidence.reduce((sum, [holds, points]) => (holds ? sum + points : sum), 0);
