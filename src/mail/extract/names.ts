import { lazy } from "../lazy.ts";
import type { Words } from "../languages/language.ts";
import { listed, UNSPACED } from "../languages/matching.ts";
import { WordIndex } from "../languages/word-index.ts";
import type { Span } from "./labelled-values.ts";

/** A name in a text with what it stands for. */
export interface FoundName<Value> extends Span {
  value: Value;
}

/**
 * Finds the names of some brands in a text that `lowered` made, in order: between characters that `letters` (a character class
 * without its brackets) does not contain, in scripts without blanks anywhere. The tables are made at the first call.
 */
export function nameFinder<Value>(
  brands: readonly (readonly [Words, Value])[],
  letters: string,
): (lower: string) => FoundName<Value>[] {
  const tables = lazy(() => {
    const brandOf = new Map(
      brands.flatMap(([names, value]) => listed(names).map((name) => [name, { value }] as const)),
    );
    const names = [...brandOf.keys()];
    const isUnspaced = (name: string): boolean => UNSPACED.test(name);
    const index = new WordIndex(
      names.filter((name) => !isUnspaced(name)),
      names.filter(isUnspaced),
      letters,
    );
    return { index, brandOf };
  });
  return (lower) => {
    const { index, brandOf } = tables();
    return index.findIn(lower).flatMap(({ word, start, end }) => {
      const brand = brandOf.get(word);
      return brand === undefined ? [] : [{ ...brand, start, end }];
    });
  };
}
