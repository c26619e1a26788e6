import type { ShippingStatus } from "../../contract/extraction.ts";
import { phrases } from "./labelled-values.ts";

/** Phrases for each status. Of two that a line holds, the first of this list counts. */
const STATUSES: readonly (readonly [ShippingStatus, () => RegExp])[] = [
  ["exception", phrases(({ parcel }) => parcel?.statuses?.exception)],
  ["out_for_delivery", phrases(({ parcel }) => parcel?.statuses?.out_for_delivery)],
  ["delivered", phrases(({ parcel }) => parcel?.statuses?.delivered)],
  ["in_transit", phrases(({ parcel }) => parcel?.statuses?.in_transit)],
  ["shipped", phrases(({ parcel }) => parcel?.statuses?.shipped)],
];

/** Finds words for something that is still to happen: then the line tells no status. */
const notYet = phrases(({ parcel }) => parcel?.notYet);

/** The status that one lower-cased line tells; null if none. */
export function statusIn(lower: string): ShippingStatus | null {
  const found = STATUSES.find(([, words]) => words().test(lower))?.[0] ?? null;
  if (found === null || found === "exception" || found === "out_for_delivery") return found;
  return notYet().test(lower) ? null : found;
}
