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
 * Parameters: only messages above this seq, only from senders that contain this text (null = any), and only codes or links of at
 * least this confidence. Those of earlier releases that kept no confidence count as sure.
 */
type NewestParams = [after: number, from: Nullable<string>, minConfidence: number];
const NEWEST = `FROM message m WHERE m.code_taken_at IS NULL AND m.seq > ?1
  AND (?2 IS NULL OR instr(m.sender_folded, ?2) > 0)`;
const CONFIDENCE = "m.code_evidence ->> '$.confidence'";
const LINK_CONFIDENCE = `coalesce(m.code_evidence ->> '$.link_confidence', ${CONFIDENCE}, 1)`;
export const NEWEST_CODE: Query<CodeRow, NewestParams> = {
  text: `SELECT ${CODE} ${NEWEST} AND m.code IS NOT NULL AND coalesce(${CONFIDENCE}, 1) >= ?3 ORDER BY m.seq DESC LIMIT 1`,
};
export const NEWEST_LINK: Query<CodeRow, NewestParams> = {
  text: `SELECT ${CODE} ${NEWEST} AND m.link IS NOT NULL AND ${LINK_CONFIDENCE} >= ?3 ORDER BY m.seq DESC LIMIT 1`,
};
export const TAKE_CODE: Query<never, [number, number]> = {
  text: "UPDATE message SET code_taken_at = ? WHERE seq = ?",
};
