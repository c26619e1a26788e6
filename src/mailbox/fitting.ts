/** Counts how many of `sizes`, from the first, fit into `limit` together. */
export function countFitting(sizes: readonly number[], limit: number): number {
  let total = 0;
  const over = sizes.findIndex((size) => (total += size) > limit);
  return over === -1 ? sizes.length : over;
}
