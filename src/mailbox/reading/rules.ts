import type { InboxFilters } from "../../contract/routes.ts";
import { invalid, type Answer } from "../../contract/problem.ts";
import { SEQ_PER_MS, type Seq } from "../../lib/ids.ts";
import { refused } from "../../lib/outcome.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import { pageStart } from "../page.ts";
import type { ListingParams } from "./rows.ts";

/** Greater than every seq. */
export const BEYOND_ALL: Seq = Number.MAX_SAFE_INTEGER;

/** The bounds and filters of a listing, as its statements take them. `below` is exclusive. */
export function listingParams(filters: InboxFilters, mailbox: string, below: Seq): ListingParams {
  const to = filters.to !== null && filters.to.toLowerCase() === mailbox ? null : filters.to;
  const until = filters.until === null ? BEYOND_ALL : (filters.until + 1) * SEQ_PER_MS - 1;
  return [
    filters.since === null ? 0 : filters.since * SEQ_PER_MS,
    Math.min(below - 1, until),
    filters.direction,
    folded(filters.from),
    to,
    folded(filters.subject),
    filters.has_attachment === null ? null : Number(filters.has_attachment),
  ];
}

function folded(text: string | null): string | null {
  return text === null ? null : foldForMatch(text);
}

/** Whether the request is for the newest emails without any filter. */
export function isNewestPage(filters: InboxFilters): boolean {
  const { cursor, offset, label, direction, from, to, subject, has_attachment, since, until } = filters;
  const narrowing = [cursor, label, direction, from, to, subject, has_attachment, since, until];
  return offset === 0 && narrowing.every((filter) => filter === null);
}

/** Whether no filter of a listing but its bounds is set. */
export function isUnfiltered(filters: readonly unknown[]): boolean {
  return filters.every((filter) => filter === null);
}

/** Where a listing begins: at its cursor, or at `start` plus the offset. */
export function listingStart(
  filters: { cursor: string | null; offset: number },
  start: readonly number[],
): Answer<readonly number[]> {
  return filters.cursor !== null && filters.offset > 0
    ? refused(invalid("offset", "give either cursor or offset"))
    : pageStart(filters.cursor, start);
}
