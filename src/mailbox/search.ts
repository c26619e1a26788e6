import type { SearchPage } from "../contract/message.ts";
import type { Answer } from "../contract/problem.ts";
import type { InboxFilters } from "../contract/routes.ts";
import { SEQ_PER_MS } from "../lib/ids.ts";
import { done } from "../lib/outcome.ts";
import type { Database } from "../lib/sql.ts";
import { highlightsFor, parseSearchQuery, snippetFor, type SearchQuery } from "../mail/search-query.ts";
import { foldForMatch } from "../mail/search-text.ts";
import { writeCursor } from "./cursor.ts";
import { jsonText, summaryOf, type JsonText, type View } from "./present.ts";
import { BEYOND_ALL, listingParams, pageStart } from "./reading.ts";
import type { MessageRow } from "./schema.ts";
import * as statements from "./statements.ts";
import type { ListingParams } from "./statements.ts";

type Hit = MessageRow & { score: number; body_text: string | null };

const NO_MODEL_HINT = "No embedding model is configured, so results come from keywords";

/**
 * Emails that match `text` and the filters, best first; by time where only operators were given. The cursor keeps the
 * newest seq of the first page, so that mail which arrives meanwhile moves nothing.
 */
export function searchPage(
  db: Database,
  view: View,
  filters: InboxFilters,
  options: { text: string; mode: string },
): Answer<JsonText<SearchPage>> {
  const start = pageStart(filters, [BEYOND_ALL - 1, filters.offset]);
  if (!start.ok) return start;
  const [snapshot = 0, offset = 0] = start.value;
  const query = parseSearchQuery(options.text);
  const hits = findHits(db, query, {
    params: searchParams(query, filters, view.mailbox, snapshot),
    labels: filters.label === null ? query.labels : [...query.labels, filters.label],
    limit: filters.limit + 1,
    offset,
  });
  const shown = hits.slice(0, filters.limit);
  const newest = snapshot === BEYOND_ALL - 1 ? newestSeq(db) : snapshot;
  return done(
    jsonText({
      emails: shown.map((hit) => ({
        ...summaryOf(hit, view),
        snippet: snippetFor(hit.body_text ?? hit.snippet, query.terms),
        score: Math.round(hit.score * 10_000) / 10_000,
        highlights: highlightsFor({ subject: hit.subject, body: hit.body_text ?? hit.snippet }, query.terms),
      })),
      search_mode: "keyword",
      ...(options.mode === "keyword" ? {} : { hint: NO_MODEL_HINT }),
      next_cursor: hits.length > filters.limit ? writeCursor(newest, offset + filters.limit) : null,
    }),
  );
}

interface Selection {
  params: ListingParams;
  labels: readonly string[];
  limit: number;
  offset: number;
}

function findHits(db: Database, query: SearchQuery, selection: Selection): Hit[] {
  const { params, labels, limit, offset } = selection;
  const wanted: statements.Wanted = [
    JSON.stringify(labels),
    JSON.stringify(query.from.map(foldForMatch)),
    JSON.stringify(query.to),
    JSON.stringify(query.subject.map(foldForMatch)),
  ];
  if (query.match !== null) {
    return db.all(statements.SEARCH_MESSAGES, ...params, limit, offset, ...wanted, query.match);
  }
  return hasOperator(query) || labels.length > 0
    ? db.all(statements.FILTER_MESSAGES, ...params, limit, offset, ...wanted, query.without)
    : [];
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

function newestSeq(db: Database): number {
  return db.first(statements.NEWEST_SEQ)?.seq ?? 0;
}
