import { lowered } from "../code/key-words.ts";
import type { Span } from "./labelled-values.ts";
import { lazy } from "../lazy.ts";
import { carriers } from "../tables/tables.ts";
import { nameFinder } from "./names.ts";

const finder = lazy(() =>
  nameFinder(
    Object.entries(carriers()).map(([carrier, names]) => [names, carrier] as const),
    "\\p{L}\\p{M}",
  ),
);

/** Where a lower-cased text names carriers. */
export const carrierSpans = (lower: string): Span[] => finder()(lower);

/** The carriers that a lower-cased text names, the first named first. */
export const carriersIn = (lower: string): string[] => [
  ...new Set(finder()(lower).map(({ value }) => value)),
];

/** The name of a carrier in answers: its usual spelling if it is known, else as it is. */
export function carrierName(name: string): string {
  return carriersIn(lowered(name))[0] ?? name;
}
