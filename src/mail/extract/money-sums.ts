/** Rows that a sum is made of at most. */
const MAX_ROWS = 25;
/** Sums that are followed at once: signs of parts may be left out, so a part may be added, taken off or contained. */
const MAX_SUMS = 48;

/** A row of a table of prices. */
export interface PriceRow {
  /** In thousandths, so that adding has no errors of rounding; what is taken off is negative. */
  value: number;
  /** Pieces of an item, whose price may be that of one; 1 for other rows. */
  quantity: number;
}

/**
 * The indexes of the rows that are sums of the rows above: first of the items, then of that sum and the parts below it (delivery,
 * tax, discount), whose signs need not be written. The last one has all parts in it.
 */
export function sumsIn(rows: readonly PriceRow[]): number[] {
  return rows.flatMap(({ value }, at) => (value > 0 && isSumOfAbove(rows, at, value) ? [at] : []));
}

/** Whether the first row is the sum of all rows below: a heading with what was paid, and its parts. */
export function isSumOfBelow([first, ...parts]: readonly PriceRow[]): boolean {
  return (
    first !== undefined &&
    parts.length > 1 &&
    parts.reduce((sum, { value }) => sum + value, 0) === first.value
  );
}

function isSumOfAbove(rows: readonly PriceRow[], at: number, wanted: number): boolean {
  for (let start = at - 2; start >= Math.max(0, at - MAX_ROWS); start -= 1) {
    if (addsUp(rows.slice(start, at), wanted)) return true;
  }
  return false;
}

/** Whether these rows add up to a sum. A row that equals the sum so far may be one itself: then parts follow it. */
function addsUp([first, ...others]: readonly PriceRow[], wanted: number): boolean {
  if (first === undefined || first.value < 0) return false;
  /** The sums so far, and whether each stands on a line of its own already. */
  let sums = new Map([
    [first.value, false],
    [first.value * first.quantity, false],
  ]);
  for (const row of others) {
    sums = withRow(sums, row);
    if (sums.size > MAX_SUMS) return false;
  }
  return sums.has(wanted);
}

function withRow(sums: ReadonlyMap<number, boolean>, { value, quantity }: PriceRow): Map<number, boolean> {
  const next = new Map<number, boolean>();
  for (const [sum, isBelowSum] of sums) {
    next.set(sum + value, isBelowSum);
    if (quantity > 1) next.set(sum + value * quantity, isBelowSum);
    if (isBelowSum && value > 0) next.set(sum - value, true).set(sum, true);
  }
  if (sums.has(value)) next.set(value, true);
  return next;
}
