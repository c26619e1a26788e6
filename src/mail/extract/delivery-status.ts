import type { ShippingStatus } from "../../contract/extraction.ts";
import { phrases } from "./labelled-values.ts";

/** What is said of a parcel, the more telling first: of two things that a line says the first of this list counts. */
const STATUSES: readonly (readonly [ShippingStatus, () => RegExp])[] = [
  ["exception", phrases(({ parcel }) => parcel?.statuses?.exception)],
  ["out_for_delivery", phrases(({ parcel }) => parcel?.statuses?.out_for_delivery)],
  ["delivered", phrases(({ parcel }) => parcel?.statuses?.delivered)],
  ["in_transit", phrases(({ parcel }) => parcel?.statuses?.in_transit)],
  ["shipped", phrases(({ parcel }) => parcel?.statuses?.shipped)],
];

/** Words that say it is still to come, or might: then a line tells nothing. */
const notYet = phrases(({ parcel }) => parcel?.notYet);

/** The status that one lower-cased line tells; null if none. */
export function statusIn(lower: string): ShippingStatus | null {
  const found = STATUSES.find(([, words]) => words().test(lower))?.[0] ?? null;
  if (found === null || found === "exception" || found === "out_for_delivery") return found;
  return notYet().test(lower) ? null : found;
}
