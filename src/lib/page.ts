/** The rows of a page, of which one more was read than fits, and its last row if more rows follow; null if none do. */
export function cutPage<Row>(rows: readonly Row[], limit: number): { shown: Row[]; last: Row | null } {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? (shown.at(-1) ?? null) : null };
}
