import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";

type Nullable<T> = T | null;

/** The columns that the search for a code needs. */
export type CodeRow = {
  seq: Seq;
  code: string | null;
  link: string | null;
  /** JSON of a `StoredEvidence`; null without code and link, or if a release that stored none read them (version 1). */
  code_evidence: string | null;
  /** Address and name of the sender, folded by `foldForMatch`. */
  sender_folded: string;
  listing: string;
};

const CODE = "m.seq, m.code, m.link, m.code_evidence, m.sender_folded, m.listing";
/**
 * The newest codes or links that were not handed out, of which the newest one that fits is answered. Nobody waits for one that
 * so many have followed.
 */
const MAX_LOOKED_AT = 5_000;
/**
 * Parameters: only messages above this seq, only from senders that contain this text (null = any), and only codes or links of at
 * least this confidence. Those of earlier releases that kept no confidence count as sure. `underWay`: a JSON array of messages
 * that are left out.
 */
type NewestParams = [after: number, from: Nullable<string>, minConfidence: number, underWay: string];
const newestOf = (column: "code" | "link", confidence: string): Query<CodeRow, NewestParams> => ({
  text: `SELECT ${CODE} FROM (SELECT seq, code, link, code_evidence, sender_folded, listing FROM message
      WHERE code_taken_at IS NULL AND ${column} IS NOT NULL AND seq > ?1 ORDER BY seq DESC LIMIT ${MAX_LOOKED_AT}) m
    WHERE (?2 IS NULL OR instr(m.sender_folded, ?2) > 0) AND ${confidence} >= ?3
      AND m.seq NOT IN (SELECT value FROM json_each(?4)) LIMIT 1`,
});
const CONFIDENCE = "m.code_evidence ->> '$.confidence'";
export const NEWEST_CODE = newestOf("code", `coalesce(${CONFIDENCE}, 1)`);
export const NEWEST_LINK = newestOf(
  "link",
  `coalesce(m.code_evidence ->> '$.link_confidence', ${CONFIDENCE}, 1)`,
);
export const UNTAKEN: Query<CodeRow, [seq: Seq]> = {
  text: `SELECT ${CODE} FROM message m WHERE m.seq = ? AND m.code_taken_at IS NULL`,
};
export const TAKE_CODE: Query<never, [number, number]> = {
  text: "UPDATE message SET code_taken_at = ? WHERE seq = ?",
};
