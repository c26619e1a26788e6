import { NO_CURSOR } from "../contract/parameters.ts";
import { invalid, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import { sealed, unsealed } from "../lib/sealed-text.ts";

/** Numbers that say where the next page begins, as an opaque text. */
export function writeCursor(...numbers: readonly number[]): string {
  return sealed(numbers.map((number) => number.toString(36)).join("-"));
}

/** Reads a cursor of `count` numbers. One that is not whole would lead anywhere, most often to where nothing is left. */
export function readCursor(written: string, count: number): Answer<number[]> {
  const numbers = (unsealed(written) ?? "")
    .split("-")
    .map((part) => (/^[0-9a-z]{1,11}$/.test(part) ? parseInt(part, 36) : Number.NaN));
  if (numbers.length !== count || !numbers.every(Number.isSafeInteger)) {
    return refused(invalid("cursor", NO_CURSOR));
  }
  return done(numbers);
}

/** Where a page begins: at its cursor, or without one at `start`. */
export function pageStart(cursor: string | null, start: readonly number[]): Answer<readonly number[]> {
  return cursor === null ? done(start) : readCursor(cursor, start.length);
}

/** The rows of a page, and where the next one begins; null where there is none. */
export interface Page<Row> {
  shown: Row[];
  next: string | null;
}

/** A page of `rows`, of which one more was read than it shows: that one tells whether there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorAfter: (last: Row) => string,
): Page<Row> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, next: last === undefined ? null : cursorAfter(last) };
}
