import type { SearchPage } from "../contract/message.ts";
import type { Answer } from "../contract/problem.ts";
import type { InboxFilters } from "../contract/routes.ts";
import { fused } from "../embeddings/fusion.ts";
import type { Neighbour, NearestOptions } from "../embeddings/vectors.ts";
import { SEQ_PER_MS } from "../lib/ids.ts";
import { stringMember } from "../lib/json-text.ts";
import { done } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import { bodyTextStart, excerptJson, excerptsFor } from "../mail/excerpts.ts";
import { misreadOperators, OPERATORS, parseSearchQuery, type SearchQuery } from "../mail/search-query.ts";
import { foldForMatch } from "../mail/search-text.ts";
import { writeCursor } from "./cursor.ts";
import { summaryOpening, type JsonText, type View } from "./present.ts";
import { BEYOND_ALL, isUnfiltered, listingParams, pageStart } from "./reading.ts";
import * as statements from "./statements.ts";
import type { ListingParams, SearchHit } from "./statements.ts";

/** Digits of a score that mean anything. */
const SCORE_PRECISION = 1_000_000;

/** How far down results by meaning go: each message is near to some degree. */
const MEANING_DEPTH = 200;
/** No limit (SQLite's `LIMIT -1`). */
const ALL = -1;

/** What is known of nearness in meaning to a text. */
export interface Nearness {
  /** Finds what is near; null = nobody knows, and the keywords answer. */
  meaning: Meaning | null;
  /** What whoever asked is told beside the results; "" for nothing. */
  hint: string;
}

/** What to search for, and how. With `meaning`, the text has words. */
export interface SearchOptions extends Nearness {
  text: string;
  /** keyword, semantic or hybrid. */
  mode: string;
}

/** Messages near a text, best first. */
export type Meaning = (options: NearestOptions) => Neighbour[];

/** Whether a text has words to search for. Filters alone have no meaning to be near to. */
export function hasWords(text: string): boolean {
  return parseSearchQuery(text).match !== null;
}

/** What whoever searches is told of operators that were taken as words; "" for nothing. */
export function misreadHint(text: string): string {
  const misread = misreadOperators(text);
  return misread.length === 0 ? "" : `Taken as words: ${misread.join(", ")}. Operators are ${OPERATORS}`;
}

/**
 * Emails that match `text` and the filters, best first; by time where only operators were given. The cursor keeps the
 * newest seq of the first page, so that mail which arrives meanwhile moves nothing.
 */
export function searchPage(
  db: Database,
  view: View,
  filters: InboxFilters,
  options: SearchOptions,
): Answer<JsonText<SearchPage>> {
  const start = pageStart(filters, [BEYOND_ALL - 1, filters.offset]);
  if (!start.ok) return start;
  const [snapshot = 0, offset = 0] = start.value;
  const query = parseSearchQuery(options.text);
  const selection = {
    params: searchParams(query, filters, view.mailbox, snapshot),
    labels: filters.label === null ? query.labels : [...query.labels, filters.label],
    limit: filters.limit + 1,
    offset,
  };
  const { meaning } = options;
  const hits =
    meaning === null
      ? findHits(db, query, selection)
      : hitsByMeaning(db, query, selection, { near: meaning, mode: options.mode });
  const shown = hits.slice(0, filters.limit);
  const newest = snapshot === BEYOND_ALL - 1 ? view.lastSeq : snapshot;
  const hint = options.hint === "" ? "" : `"hint":${JSON.stringify(options.hint)},`;
  const mode = meaning === null ? "keyword" : options.mode;
  const next =
    hits.length > filters.limit ? JSON.stringify(writeCursor(newest, offset + filters.limit)) : "null";
  const emails = shown.map((hit) => hitText(hit, view, query.terms)).join(",");
  return done(`{"emails":[${emails}],"search_mode":"${mode}",${hint}"next_cursor":${next}}`);
}

/** One hit as JSON text: its listing, with the snippet that shows why it was found. */
function hitText(hit: SearchHit, view: View, terms: readonly string[]): string {
  const { listing } = hit;
  const opening = stringMember(listing, "snippet");
  const body = (hit.body_start === null ? null : bodyTextStart(hit.body_start)) ?? opening.value();
  const { snippet, highlights } = excerptsFor(
    { subject: stringMember(listing, "subject").value(), body },
    terms,
  );
  const score = Math.round(hit.score * SCORE_PRECISION) / SCORE_PRECISION;
  const shown = `${listing.slice(1, opening.start)}${excerptJson(snippet)}${listing.slice(opening.end, -1)}`;
  const fragments = highlights.map(excerptJson).join(",");
  return `${summaryOpening(hit, view)}${shown},"score":${score},"highlights":[${fragments}]}`;
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

/** Hits of a search by meaning, or by words and meaning together. Filters and exclusions hold as they do for words. */
function hitsByMeaning(
  db: Database,
  query: SearchQuery,
  selection: Selection,
  { near, mode }: { near: Meaning; mode: string },
): SearchHit[] {
  const { params, labels, limit, offset } = selection;
  const wanted = wantedOf(query, labels);
  const [, maxId] = params;
  const plain = isPlain(selection, wanted);
  const among =
    plain && query.without === null
      ? null
      : new Set(
          db.all(statements.FILTER_SEQS, ...params, ALL, 0, ...wanted, query.without).map(({ seq }) => seq),
        );
  const nearest = near({ limit: MEANING_DEPTH, maxId, among });
  if (mode === "semantic") return hitRows(db, nearest.slice(offset, offset + limit));
  const match = query.match ?? "";
  const found = plain
    ? db.all(statements.RANK_PLAIN, maxId, MEANING_DEPTH, 0, match)
    : db.all(statements.RANK_MESSAGES, ...params, MEANING_DEPTH, 0, ...wanted, match);
  const both = fused(
    found.map(({ seq }) => seq),
    nearest.map(({ id }) => id),
  );
  return hitRows(db, both.slice(offset, offset + limit));
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
