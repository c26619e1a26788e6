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
  type SearchQuery,
} from "../../mail/search/search-query.ts";
import { foldForMatch } from "../../mail/search/search-text.ts";
import type { Candidates, Reach } from "../embeddings/vector-search.ts";
import { summaryOpening, wholeListing, type View } from "../messages/present.ts";
import type { ListingParams } from "../reading/rows.ts";
import { BEYOND_ALL, isUnfiltered, listingParams, listingStart } from "../reading/rules.ts";
import type { SearchHit, Wanted } from "./rows.ts";

/** Digits of a score that mean anything. */
const SCORE_PRECISION = 1_000_000;

/** How far down results by meaning go: each message is near to some degree. */
export const MEANING_DEPTH = 200;
/** Where not all mail can be compared, the best by words that are compared beside the newest. */
export const MAX_WORD_CANDIDATES = 1_000;

/** What is known of nearness in meaning to a text. */
export interface Nearness {
  /** Finds what is near; null = nobody knows, and the keywords answer. */
  meaning: Meaning | null;
  /** What whoever asked is told beside the results; "" for nothing. */
  hint: string;
}

/** What to search for, and how. */
export interface SearchOptions {
  text: string;
  /** keyword, semantic or hybrid. */
  mode: string;
  hint: string;
}

/** Messages near a text. */
export interface Meaning extends Reach {
  /** The nearest of the candidates, best first. */
  nearest(candidates: Candidates): Promise<Neighbour[]>;
}

/** Whether a text has words to search for. Filters alone have no meaning to be near to. */
export function hasWords(text: string): boolean {
  return parseSearchQuery(text).match !== null;
}

/** What whoever searches is told of operators that were taken as words; "" for nothing. */
export function misreadHint(text: string): string {
  const misread = misreadOperators(text);
  return misread.length === 0 ? "" : `Taken as words: ${misread.join(", ")}. Operators are ${OPERATORS}`;
}

/** A search as it was asked for, read. The cursor keeps the newest seq of the first page, so that mail which arrives meanwhile moves nothing. */
export interface Asked {
  query: SearchQuery;
  selection: Selection;
  /** Of the first page. */
  newest: number;
}

export function readSearch(view: View, filters: InboxFilters, text: string): Answer<Asked> {
  const start = listingStart(filters, [BEYOND_ALL - 1, filters.offset]);
  if (!start.ok) return start;
  const [snapshot = 0, offset = 0] = start.value;
  const query = parseSearchQuery(text);
  const selection = {
    params: searchParams(query, filters, view.mailbox, snapshot),
    labels: filters.label === null ? query.labels : [...query.labels, filters.label],
    limit: filters.limit + 1,
    offset,
  };
  return done({ query, selection, newest: snapshot === BEYOND_ALL - 1 ? view.lastSeq : snapshot });
}

/** A search by meaning before anything is compared. */
export interface MeaningSearch {
  asked: Asked;
  candidates: Candidates;
  /** What words find, best first. */
  found: readonly Seq[];
  mode: string;
  hint: string;
}

export function cutHint(maxCandidates: number, isFiltered: boolean): string {
  const newest = `the newest ${maxCandidates} emails${isFiltered ? " that the filters let through" : ""}`;
  return `The search by meaning compared only ${newest} and the ${MAX_WORD_CANDIDATES} best matches by words. To reach older ones, add before: or another filter`;
}

/** One hit as JSON text: its listing, with the snippet that shows why it was found. */
export function hitText(hit: SearchHit, view: View, terms: readonly string[], isKept: boolean): string {
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
  return `${summaryOpening(hit, view, isKept)}${shown},"score":${score},"highlights":[${fragments}]}`;
}

export interface Selection {
  params: ListingParams;
  labels: readonly string[];
  limit: number;
  offset: number;
}

export function wantedOf(query: SearchQuery, labels: readonly string[]): Wanted {
  return [
    JSON.stringify(labels),
    JSON.stringify(query.from.map(foldForMatch)),
    JSON.stringify(query.to),
    JSON.stringify(query.subject.map(foldForMatch)),
  ];
}

/** Whether the words alone decide. */
export function isPlain({ params, labels }: Selection, [, from, to, subject]: Wanted): boolean {
  const [minSeq, , ...others] = params;
  return (
    labels.length === 0 &&
    isUnfiltered(minSeq, others) &&
    [from, to, subject].every((texts) => texts === "[]")
  );
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

/** Filters of the request and operators of the query: both hold. */
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
  return [Math.max(min, after), Math.min(max, before), direction, from, to, subject, attached];
}
