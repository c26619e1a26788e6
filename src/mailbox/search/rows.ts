import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import { BODY_START, page, SUMMARY, type MessageRow } from "../messages/rows.ts";
import { CONDITIONS, type ConditionParams } from "../reading/rows.ts";

type Nullable<T> = T | null;

/** A message found, its score, and the beginning of its stored body (`bodyTextStart`). */
export type SearchHit = MessageRow & { score: number; body_start: string | null };
/** A message found, and its score. */
export type RankedHit = { seq: Seq; score: number };

/**
 * The rows of the full-text index that match `?1`, from `?3` down to `?2`. Nothing else is read. The runtime binds numbers as
 * floating-point numbers, and FTS5 looks a bound up only if it is an integer: otherwise it reads all matches.
 */
const MATCHES = `search f WHERE f.search MATCH ?1 AND f.rowid >= CAST(?2 AS INTEGER) AND f.rowid <= CAST(?3 AS INTEGER)`;
type MatchParams = [match: string, minSeq: Seq, maxSeq: Seq];
/** Matches, newest first: a JSON array, because a row of the answer for each takes longer than finding it. */
export const MATCHES_DOWN: Query<{ seqs: string }, [...MatchParams, limit: number, offset: number]> = {
  text: `SELECT json_group_array(seq) AS seqs FROM (SELECT f.rowid AS seq FROM ${MATCHES} ORDER BY f.rowid DESC ${page("?4", "?5")})`,
};
/** The row of the full-text index after the first `offset`; its own table `search_docsize` has them all. */
export const ROW_AT: Query<{ seq: Seq }, [minSeq: Seq, maxSeq: Seq, offset: number]> = {
  text: `SELECT id AS seq FROM search_docsize WHERE id >= ?1 AND id <= ?2 ORDER BY id DESC ${page("1", "?3")}`,
};
/**
 * The best matches and their scores; of those in a JSON array only, unless that is null. The index counts all matches of each
 * word for it.
 */
export const SCORES: Query<RankedHit, [...MatchParams, seqs: Nullable<string>, limit: number]> = {
  // The plus sign keeps the full-text index from a look-up for each member of the array.
  text: `SELECT f.rowid AS seq, -bm25(search, 8.0, 4.0, 4.0, 1.0, 8.0, 3.0) AS score FROM ${MATCHES}
    AND (?4 IS NULL OR +f.rowid IN (SELECT value FROM json_each(?4)))
    ORDER BY score DESC, f.rowid DESC ${page("?5")}`,
};
/** The folded heads of messages in a JSON array, unordered. */
export const HEADS: Query<{ seq: Seq; subject_folded: string; sender_folded: string }, [seqs: string]> = {
  text: `SELECT seq, subject_folded, sender_folded FROM message WHERE seq IN (SELECT value FROM json_each(?))`,
};

/** Those of a JSON array of messages that pass filters: a JSON array in the same order, which the CROSS JOIN keeps. */
export const PASSING: Query<{ seqs: string }, [...ConditionParams, seqs: string, limit: number]> = {
  text: `SELECT json_group_array(seq) AS seqs FROM (SELECT m.seq FROM json_each(?12) f CROSS JOIN message m ON m.seq = f.value
    WHERE ${CONDITIONS} ${page("?13")})`,
};

/** Rows of messages that were found, unordered. */
export const READ_HITS: Query<SearchHit, [seqs: string]> = {
  text: `SELECT ${SUMMARY}, 0.0 AS score, ${BODY_START}
    FROM message m LEFT JOIN content c ON c.seq = m.seq WHERE m.seq IN (SELECT value FROM json_each(?))`,
};

/**
 * Pages of the full-text index that hold the words with a prefix: FTS5 reads all of them before its first match. Its own table
 * `search_idx` has the first word of each page of a segment, with its number times two; `0` marks words.
 */
export const PREFIX_PAGES: Query<{ pages: number }, [prefix: string]> = {
  text: `WITH RECURSIVE segment (id) AS (SELECT min(segid) FROM search_idx
      UNION ALL SELECT (SELECT min(segid) FROM search_idx WHERE segid > id) FROM segment WHERE id IS NOT NULL),
    bound (low, high) AS (SELECT CAST('0' || ?1 AS BLOB), CAST('0' || ?1 || char(1114111) AS BLOB))
    SELECT ifnull(sum(
      ifnull((SELECT pgno FROM search_idx WHERE segid = id AND term > high ORDER BY term LIMIT 1),
        (SELECT pgno FROM search_idx WHERE segid = id ORDER BY term DESC LIMIT 1)) / 2
      - ifnull((SELECT pgno FROM search_idx WHERE segid = id AND term <= low ORDER BY term DESC LIMIT 1), 2) / 2), 0) AS pages
    FROM segment, bound WHERE id IS NOT NULL`,
};
