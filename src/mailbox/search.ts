import type { SearchPage } from "../contract/message.ts";
import type { Answer } from "../contract/problem.ts";
import type { InboxFilters } from "../contract/routes.ts";
import { fused } from "../embeddings/fusion.ts";
import type { Neighbour } from "../embeddings/vectors.ts";
import { SEQ_PER_MS, type Seq } from "../lib/ids.ts";
import { stringMember } from "../lib/json-text.ts";
import { done } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import { bodyTextStart, excerptJson, excerptsFor } from "../mail/search/excerpts.ts";
import {
  misreadOperators,
  OPERATORS,
  parseSearchQuery,
  type SearchQuery,
} from "../mail/search/search-query.ts";
import { foldForMatch } from "../mail/search/search-text.ts";
import { KEPT_HINT } from "../outbound/kept.ts";
import { writeCursor } from "./cursor.ts";
import { Outbox } from "./outbox.ts";
import { summaryOpening, wholeListing, type JsonText, type View } from "./present.ts";
import { BEYOND_ALL, isUnfiltered, listingParams, pageStart } from "./reading.ts";
import * as statements from "./statements.ts";
import type { ListingParams, SearchHit } from "./statements.ts";
import type { Candidates, Reach } from "./vector-search.ts";

/** Digits of a score that mean anything. */
const SCORE_PRECISION = 1_000_000;

/** How far down results by meaning go: each message is near to some degree. */
const MEANING_DEPTH = 200;
/** Where not all mail can be compared, the best by words that are compared beside the newest. */
const MAX_WORD_CANDIDATES = 1_000;

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
interface Asked {
  query: SearchQuery;
  selection: Selection;
  /** Of the first page. */
  newest: number;
}

function readSearch(view: View, filters: InboxFilters, text: string): Answer<Asked> {
  const start = pageStart(filters, [BEYOND_ALL - 1, filters.offset]);
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

/** Emails that match `text` and the filters, best first; by time where only operators were given. */
export function searchPage(
  db: Database,
  view: View,
  filters: InboxFilters,
  { text, hint }: SearchOptions,
): Answer<JsonText<SearchPage>> {
  const read = readSearch(view, filters, text);
  if (!read.ok) return read;
  const { query, selection } = read.value;
  return done(
    pageText(db, view, read.value, { hits: findHits(db, query, selection), mode: "keyword", hint }),
  );
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

/**
 * Chooses what a search by meaning, or by words and meaning together, compares; the text has words. Filters and exclusions hold
 * as they do for words. Where there is more than can be compared, it is the newest and the best by words, and the answer says so.
 */
export function planMeaning(
  db: Database,
  view: View,
  filters: InboxFilters,
  { text, mode, hint, reach }: SearchOptions & { reach: Reach },
): Answer<MeaningSearch> {
  const read = readSearch(view, filters, text);
  if (!read.ok) return read;
  const { query, selection } = read.value;
  const { params, labels } = selection;
  const wanted = wantedOf(query, labels);
  const isPlainText = isPlain(selection, wanted);
  const { maxCandidates } = reach;
  const among =
    isPlainText && query.without === null
      ? null
      : db
          .all(statements.FILTER_SEQS, ...params, maxCandidates + 1, 0, ...wanted, query.without)
          .map(({ seq }) => seq);
  const isCut = among === null ? !reach.isWhole : among.length > maxCandidates;
  const depth = isCut ? MAX_WORD_CANDIDATES : mode === "semantic" ? 0 : MEANING_DEPTH;
  const found = depth === 0 ? [] : ranked(db, query, selection, depth);
  const [, maxSeq] = params;
  return done({
    asked: read.value,
    candidates: {
      limit: MEANING_DEPTH,
      maxSeq,
      among: among?.slice(0, maxCandidates) ?? null,
      besides: isCut ? found : [],
    },
    found,
    mode,
    hint: [hint, isCut ? cutHint(maxCandidates, among !== null) : ""]
      .filter((part) => part !== "")
      .join(". "),
  });
}

function cutHint(maxCandidates: number, isFiltered: boolean): string {
  const newest = `the newest ${maxCandidates} emails${isFiltered ? " that the filters let through" : ""}`;
  return `The search by meaning compared only ${newest} and the ${MAX_WORD_CANDIDATES} best matches by words. To reach older ones, add before: or another filter`;
}

/** The page of a search by meaning, of what is nearest among its candidates. */
export function meaningPage(
  db: Database,
  view: View,
  { asked, found, mode, hint }: MeaningSearch,
  nearest: readonly Neighbour[],
): JsonText<SearchPage> {
  const { limit, offset } = asked.selection;
  const ordered =
    mode === "semantic"
      ? nearest
      : fused(
          found.slice(0, MEANING_DEPTH),
          nearest.map(({ id }) => id),
        );
  return pageText(db, view, asked, { hits: hitRows(db, ordered.slice(offset, offset + limit)), mode, hint });
}

function pageText(
  db: Database,
  view: View,
  { query, selection, newest }: Asked,
  told: { hits: readonly SearchHit[]; mode: string; hint: string },
): JsonText<SearchPage> {
  const { hits } = told;
  const perPage = selection.limit - 1;
  const shown = hits.slice(0, perPage);
  const kept = new Outbox(db).keptAmong(shown);
  const hints = [told.hint, kept.size === 0 ? "" : KEPT_HINT].filter((hint) => hint !== "");
  const hint = hints.length === 0 ? "" : `"hint":${JSON.stringify(hints.join(". "))},`;
  const next =
    hits.length > perPage ? JSON.stringify(writeCursor(newest, selection.offset + perPage)) : "null";
  const emails = shown.map((hit) => hitText(hit, view, query.terms, kept.has(hit.seq))).join(",");
  return `{"emails":[${emails}],"search_mode":"${told.mode}",${hint}"next_cursor":${next}}`;
}

/** One hit as JSON text: its listing, with the snippet that shows why it was found. */
function hitText(hit: SearchHit, view: View, terms: readonly string[], isKept: boolean): string {
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

interface Selection {
  params: ListingParams;
  labels: readonly string[];
  limit: number;
  offset: number;
}

function wantedOf(query: SearchQuery, labels: readonly string[]): statements.Wanted {
  return [
    JSON.stringify(labels),
    JSON.stringify(query.from.map(foldForMatch)),
    JSON.stringify(query.to),
    JSON.stringify(query.subject.map(foldForMatch)),
  ];
}

/** Messages that the words find, best first. */
function ranked(db: Database, query: SearchQuery, selection: Selection, limit: number): Seq[] {
  const { params, labels } = selection;
  const [match, wanted] = [query.match ?? "", wantedOf(query, labels)];
  const [, maxSeq] = params;
  const found = isPlain(selection, wanted)
    ? db.all(statements.RANK_PLAIN, maxSeq, limit, 0, match)
    : db.all(statements.RANK_MESSAGES, ...params, limit, 0, ...wanted, match);
  return found.map(({ seq }) => seq);
}

/** The rows of what was found, in its order. */
function hitRows(db: Database, found: readonly Neighbour[]): SearchHit[] {
  const rows = db.all(statements.READ_HITS, JSON.stringify(found.map(({ id }) => id)));
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return found.flatMap(({ id, score }) => {
    const row = bySeq.get(id);
    return row === undefined ? [] : [{ ...row, score }];
  });
}

function findHits(db: Database, query: SearchQuery, selection: Selection): SearchHit[] {
  const { params, labels, limit, offset } = selection;
  const wanted = wantedOf(query, labels);
  if (query.match !== null && isPlain(selection, wanted)) {
    const [, maxSeq] = params;
    return db.all(statements.SEARCH_PLAIN, maxSeq, limit, offset, query.match);
  }
  if (query.match !== null) {
    return db.all(statements.SEARCH_MESSAGES, ...params, limit, offset, ...wanted, query.match);
  }
  return hasOperator(query) || labels.length > 0
    ? db.all(statements.FILTER_MESSAGES, ...params, limit, offset, ...wanted, query.without)
    : [];
}

/** Whether the words alone decide. */
function isPlain({ params, labels }: Selection, [, from, to, subject]: statements.Wanted): boolean {
  const [minSeq, , ...others] = params;
  return (
    labels.length === 0 &&
    isUnfiltered(minSeq, others) &&
    [from, to, subject].every((texts) => texts === "[]")
  );
}

function hasOperator(query: SearchQuery): boolean {
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
