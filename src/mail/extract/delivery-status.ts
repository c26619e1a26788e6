import type { ShippingStatus } from "../../contract/extraction.ts";
import { phrases, type PhraseFinder } from "./labelled-values.ts";

/** Phrases for each status. Of two that a line holds, the first of this list counts. */
const STATUSES: readonly (readonly [ShippingStatus, () => PhraseFinder])[] = [
  ["exception", phrases(({ parcel }) => parcel?.statuses?.exception)],
  ["out_for_delivery", phrases(({ parcel }) => parcel?.statuses?.out_for_delivery)],
  ["delivered", phrases(({ parcel }) => parcel?.statuses?.delivered)],
  ["in_transit", phrases(({ parcel }) => parcel?.statuses?.in_transit)],
  ["shipped", phrases(({ parcel }) => parcel?.statuses?.shipped)],
];

/** Finds words for something that is still to happen: what follows in the clause tells no status. */
const notYet = phrases(({ parcel }) => parcel?.notYet);

/** Ends of clauses. */
const CLAUSE_END = /[.!?;,](?=\s|$)|[。！？；，、।؛،]|\s[-–—]\s/u;

/** The status that one lower-cased line tells; null if none. */
export function statusIn(lower: string): ShippingStatus | null {
  const early = STATUSES.slice(0, 2).find(([, words]) => words().test(lower))?.[0];
  if (early !== undefined) return early;
  const happened = lower
    .split(CLAUSE_END)
    .map((clause) => clause.slice(0, notYet().exec(clause)?.index))
    .join(" , ");
  const status = STATUSES.find(([, words]) => words().test(happened))?.[0] ?? null;
  return status === "delivered" && isHandedOver(happened) ? "shipped" : status;
}

const [delivered, shipped] = (["delivered", "shipped"] as const).map((status) =>
  phrases(({ parcel }) => parcel?.statuses?.[status]),
);

/** Whether the words for "delivered" are part of longer ones for "shipped": "*delivered* to the carrier". */
function isHandedOver(lower: string): boolean {
  const handed = shipped?.().all(lower) ?? [];
  const given = delivered?.().all(lower) ?? [];
  return given.every(({ start, end }) =>
    handed.some((other) => other.start <= start && other.end >= end && other.end - other.start > end - start),
  );
}
