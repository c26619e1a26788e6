import type { Query } from "../../lib/sql.ts";
import { BODY_START, page, SUMMARY, type MessageRow } from "../messages/rows.ts";
import { FILTERS, type ListingParams, type PageParams } from "../reading/rows.ts";

type Nullable<T> = T | null;

/** The operators of a search: each is a JSON array of texts, all of which must match. */
export type Wanted = [labels: string, from: string, to: string, subject: string];
const WANTED = `NOT EXISTS (SELECT 1 FROM json_each(?10) w WHERE NOT EXISTS
    (SELECT 1 FROM message_label l WHERE l.label = w.value AND l.seq = m.seq))
  AND NOT EXISTS (SELECT 1 FROM json_each(?11) w WHERE instr(m.sender_folded, w.value) = 0)
  AND NOT EXISTS (SELECT 1 FROM json_each(?12) w WHERE instr(lower(m.to_address), lower(w.value)) = 0)
  AND NOT EXISTS (SELECT 1 FROM json_each(?13) w WHERE instr(m.subject_folded, w.value) = 0)`;
/** A message found, its score, and the beginning of its stored body (`bodyTextStart`). */
export type SearchHit = MessageRow & { score: number; body_start: string | null };
/** A message found, and its score. */
export type RankedHit = { seq: number; score: number };
type PlainParams = [maxSeq: number, limit: number, offset: number, match: string];
/** The best hits of a search without filters, ranked by the full-text index alone. */
export const RANK_PLAIN: Query<RankedHit, PlainParams> = {
  text: `SELECT f.rowid AS seq, -bm25(search, 8.0, 4.0, 4.0, 1.0, 8.0, 3.0) AS score
      FROM search f WHERE search MATCH ?4 AND f.rowid <= ?1
      ORDER BY score DESC, f.rowid DESC ${page("?2", "?3")}`,
};
/** As RANK_PLAIN, with filters. */
export const RANK_MESSAGES: Query<RankedHit, [...ListingParams, ...PageParams, ...Wanted, match: string]> = {
  text: `SELECT f.rowid AS seq, -bm25(search, 8.0, 4.0, 4.0, 1.0, 8.0, 3.0) AS score
      FROM search f JOIN message m ON m.seq = f.rowid
      WHERE search MATCH ?14 AND ${FILTERS} AND ${WANTED}
      ORDER BY score DESC, f.rowid DESC ${page("?8", "?9")}`,
};
/** Rows of messages that were found, unordered. */
export const READ_HITS: Query<SearchHit, [seqs: string]> = {
  text: `SELECT ${SUMMARY}, 0.0 AS score, ${BODY_START}
    FROM message m LEFT JOIN content c ON c.seq = m.seq WHERE m.seq IN (SELECT value FROM json_each(?))`,
};
/** A search without filters. Rows of messages are read only for the page. */
export const SEARCH_PLAIN: Query<SearchHit, PlainParams> = {
  text: `SELECT ${SUMMARY}, hit.score AS score, ${BODY_START}
    FROM (
      ${RANK_PLAIN.text}
    ) hit JOIN message m ON m.seq = hit.seq LEFT JOIN content c ON c.seq = hit.seq
    ORDER BY hit.score DESC, hit.seq DESC`,
};
export const SEARCH_MESSAGES: Query<SearchHit, [...ListingParams, ...PageParams, ...Wanted, match: string]> =
  {
    // The inner query only ranks the hits. Rows of the wide tables are read only for the page.
    text: `SELECT ${SUMMARY}, hit.score AS score, ${BODY_START}
    FROM (
      ${RANK_MESSAGES.text}
    ) hit JOIN message m ON m.seq = hit.seq LEFT JOIN content c ON c.seq = hit.seq
    ORDER BY hit.score DESC, hit.seq DESC`,
  };
type FilterParams = [...ListingParams, ...PageParams, ...Wanted, without: Nullable<string>];
const FILTERED = `${FILTERS} AND ${WANTED}
      AND (?14 IS NULL OR m.seq NOT IN (SELECT f.rowid FROM search f WHERE f.search MATCH ?14))`;
/** As SEARCH_MESSAGES for a search of operators only (`from:`, `label:` …): without a score, newest first. */
export const FILTER_MESSAGES: Query<SearchHit, FilterParams> = {
  text: `SELECT ${SUMMARY}, 0.0 AS score, ${BODY_START}
    FROM message m LEFT JOIN content c ON c.seq = m.seq WHERE ${FILTERED}
    ORDER BY m.seq DESC ${page("?8", "?9")}`,
};
/** The messages that pass the filters. */
export const FILTER_SEQS: Query<{ seq: number }, FilterParams> = {
  text: `SELECT m.seq FROM message m WHERE ${FILTERED} ORDER BY m.seq DESC ${page("?8", "?9")}`,
};
