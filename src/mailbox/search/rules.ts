import type { Answer } from "../../contract/problem.ts";
import type { InboxFilters } from "../../contract/routes.ts";
import type { Neighbour } from "../../embeddings/vectors.ts";
import { SEQ_PER_MS, type Seq } from "../../lib/ids.ts";
import { stringMember } from "../../lib/json-text.ts";
import { done } from "../../lib/outcome.ts";
import { bodyTextStart, excerptJson, excerptsFor } from "../../mail/search/excerpts.ts";
import {
  misreadOperators,
  OPERATORS,
  parseSearchQuery,
  unreadHint,
  type SearchQuery,
} from "../../mail/search/search-query.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import type { Candidates, Reach } from "../embeddings/vector-search.ts";
import { summaryOpening, wholeListing, type View } from "../messages/present.ts";
import type { ListingParams } from "../reading/rows.ts";
import type { Wanted } from "../reading/rows.ts";
import { BEYOND_ALL, isUnfiltered, listingParams, listingStart } from "../reading/rules.ts";
import type { Sought } from "./matches.ts";
import type { SearchHit } from "./rows.ts";

/** Factor that rounds a score to its significant digits. */
const SCORE_PRECISION = 1_000_000;

/** Results by meaning at most: every message is similar to some degree. */
export const MEANING_DEPTH = 200;
/** If not all mail can be compared, this many of the best by words are compared beside the newest. */
export const MAX_WORD_CANDIDATES = 1_000;

/** The means of a search by meaning. */
export interface Nearness {
  /** Finds similar messages; null = not available, so the search goes by words. */
  meaning: Meaning | null;
  /** A hint to add to the answer; "" for none. */
  hint: string;
}

/** Text, mode and hint of a search. */
export interface SearchOptions {
  text: string;
  /** keyword, semantic or hybrid. */
  mode: string;
  hint: string;
  /** Whether the search writes no rows. */
  isReadOnly: boolean;
}

/** Finds messages with a meaning near that of a text. */
export interface Meaning extends Reach {
  /** The nearest of the candidates, best first. */
  nearest(candidates: Candidates): Promise<Neighbour[]>;
}

/** Whether a text has words to search for. A text of operators only has no meaning to compare. */
export function hasWords(text: string): boolean {
  return parseSearchQuery(text).match !== null;
}

/** Hints about a query: what was not read of it, and operators that were taken as words. */
export function queryHints(text: string): string[] {
  const misread = misreadOperators(text);
  const taken =
    misread.length === 0 ? "" : `Taken as words: ${misread.join(", ")}. Operators are ${OPERATORS}`;
  return [unreadHint(text), taken];
}

/**
 * A parsed search. The cursor holds the newest seq of the first page, so that mail which arrives meanwhile does not shift
 * later pages. Among matches that have no rank, it holds the last one of its page.
 */
export interface Asked {
  query: SearchQuery;
  selection: Selection;
  /** Newest seq at the time of the first page. */
  newest: number;
  /** A hint to add to the answer; "" for none. */
  hint: string;
}

const BROAD_PREFIX = "Too many words begin so: each prefix was taken as a whole word. Write more of it";

/** Reads a search. `isTooBroad` says whether too many words of the mailbox begin with the prefixes. */
export function readSearch(
  view: View,
  filters: InboxFilters,
  { text, isReadOnly }: SearchOptions,
  isTooBroad: (prefixes: readonly string[]) => boolean,
): Answer<Asked> {
  const start = listingStart(filters, [view.lastSeq, filters.offset, 0]);
  if (!start.ok) return start;
  const [newest = 0, offset = 0, below = 0] = start.value;
  const written = parseSearchQuery(text);
  const isBroad = isTooBroad(written.prefixes);
  const query = isBroad ? parseSearchQuery(text, true) : written;
  const params = searchParams(query, filters, view.mailbox, Math.min(newest, view.lastSeq));
  const [min, max] = params;
  const selection = {
    params,
    isBounded: min > 0 || max < view.lastSeq,
    mails: isReadOnly ? 0 : view.mails,
    labels: filters.label === null ? query.labels : [...query.labels, filters.label],
    limit: filters.limit + 1,
    offset,
    below: below === 0 ? null : below,
  };
  return done({ query, selection, newest, hint: isBroad ? BROAD_PREFIX : "" });
}

/** A search by meaning, before candidates are compared. */
export interface MeaningSearch {
  asked: Asked;
  candidates: Candidates;
  /** Messages that match the words, best first. */
  found: readonly Seq[];
  mode: string;
  hint: string;
}

export function cutHint(maxCandidates: number, isFiltered: boolean): string {
  const newest = `the newest ${maxCandidates} emails${isFiltered ? " that the filters let through" : ""}`;
  return `The search by meaning compared only ${newest} and the ${MAX_WORD_CANDIDATES} best matches by words. To reach older ones, add before: or another filter`;
}

/** One hit as JSON text: its listing, and the snippet that contains the match. */
export function hitText(hit: SearchHit, view: View, terms: readonly string[], isUnsent: boolean): string {
  const listing = wholeListing(hit.listing);
  const opening = stringMember(listing, "snippet");
  const body = (hit.body_start === null ? null : bodyTextStart(hit.body_start)) ?? opening.value();
  const { snippet, highlights } = excerptsFor(
    { subject: stringMember(listing, "subject").value(), body },
    terms,
  );
  const score = Math.round(hit.score * SCORE_PRECISION) / SCORE_PRECISION;
  const shown = `${listing.slice(1, opening.start)}${excerptJson(snippet)}${listing.slice(opening.end, -1)}`;
  const fragments = highlights.map(excerptJson).join(",");
  return `${summaryOpening(hit, view, isUnsent)}${shown},"score":${score},"highlights":[${fragments}]}`;
}

export interface Selection {
  params: ListingParams;
  /** Whether the bounds leave mails out. */
  isBounded: boolean;
  /** Mails of the mailbox, which bound the ranges of a statement; 0 = it may look at all. */
  mails: number;
  labels: readonly string[];
  /** The emails of the page, and one more. */
  limit: number;
  offset: number;
  /** Only emails below this one, which have no rank; null = from the first on. */
  below: Seq | null;
}

export function wantedOf(query: SearchQuery, labels: readonly string[]): Wanted {
  return [
    JSON.stringify(labels),
    JSON.stringify(query.from.map(foldForMatch)),
    JSON.stringify(query.to),
    JSON.stringify(query.subject.map(foldForMatch)),
  ];
}

/** The words and the filters of a search by words; null if the query has no words. */
export function soughtOf(query: SearchQuery, { params, labels, isBounded, mails }: Selection): Sought | null {
  const { match, terms } = query;
  if (match === null) return null;
  const operators = wantedOf(query, labels);
  const [, , ...filters] = params;
  const isPlain = isUnfiltered(filters) && operators.every((texts) => texts === "[]");
  const words = { ...query, match, folded: terms.map(foldForMatch) };
  return { words, params: [...params, ...operators], isPlain, isBounded, mails };
}

export function hasOperator(query: SearchQuery): boolean {
  const texts = query.from.length + query.to.length + query.subject.length;
  return (
    texts > 0 ||
    query.without !== null ||
    query.hasAttachment !== null ||
    query.before !== null ||
    query.after !== null
  );
}

/** Combines the filters of the request with the operators of the query: both must match. */
function searchParams(
  query: SearchQuery,
  filters: InboxFilters,
  mailbox: string,
  snapshot: number,
): ListingParams {
  const [min, max, direction, from, to, subject, hasAttachment] = listingParams(
    filters,
    mailbox,
    snapshot + 1,
  );
  const after = query.after === null ? 0 : query.after * SEQ_PER_MS;
  const before = query.before === null ? BEYOND_ALL : query.before * SEQ_PER_MS - 1;
  const attached = query.hasAttachment === null ? hasAttachment : Number(query.hasAttachment);
  return [
    Math.max(min, after),
    Math.min(max, before),
    direction,
    from ?? first(query.from.map(foldForMatch)),
    to ?? first(query.to),
    subject ?? first(query.subject.map(foldForMatch)),
    attached,
  ];
}

/** The first text of an operator, which also serves as a filter: most mails fail it, and it takes less time than a list. */
function first(texts: readonly string[]): string | null {
  return texts[0] ?? null;
}
