import { invalid, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";

/** Numbers that say where the next page begins, as an opaque text. */
export function writeCursor(...numbers: readonly number[]): string {
  return numbers.map((number) => number.toString(36)).join("-");
}

/** Reads a cursor of `count` numbers. */
export function readCursor(text: string, count: number): Answer<number[]> {
  const numbers = text
    .split("-")
    .map((part) => (/^[0-9a-z]{1,11}$/.test(part) ? parseInt(part, 36) : Number.NaN));
  if (numbers.length !== count || !numbers.every(Number.isSafeInteger)) {
    return refused(invalid("cursor", "must be a next_cursor of this listing"));
  }
  return done(numbers);
}
