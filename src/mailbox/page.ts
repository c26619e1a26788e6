import { NO_CURSOR } from "../contract/parameters.ts";
import { invalid, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";
import { cutPage } from "../lib/page.ts";
import { sealed, unsealed } from "../lib/sealed-text.ts";

/** Encodes numbers as an opaque cursor. */
export function writeCursor(...numbers: readonly number[]): string {
  return sealed(numbers.map((number) => number.toString(36)).join("-"));
}

/** Decodes a cursor of `count` numbers. 400 for any other text: half a cursor would start a page at an arbitrary place. */
export function readCursor(written: string, count: number): Answer<number[]> {
  const numbers = (unsealed(written) ?? "")
    .split("-")
    .map((part) => (/^[0-9a-z]{1,11}$/.test(part) ? parseInt(part, 36) : Number.NaN));
  if (numbers.length !== count || !numbers.every(Number.isSafeInteger)) {
    return refused(invalid("cursor", NO_CURSOR));
  }
  return done(numbers);
}

/** Where a page begins: at its cursor, or at `start` without one. 400 for an invalid cursor. */
export function pageStart(cursor: string | null, start: readonly number[]): Answer<readonly number[]> {
  return cursor === null ? done(start) : readCursor(cursor, start.length);
}

/** The rows of a page, and the cursor of the next one; null on the last page. */
export interface Page<Row> {
  shown: Row[];
  next: string | null;
}

/** Makes a page of `rows`, which were read with one row more than `limit`: that one shows that there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorAfter: (last: Row) => string,
): Page<Row> {
  const { shown, last } = cutPage(rows, limit);
  return { shown, next: last === null ? null : cursorAfter(last) };
}
