import type { Query } from "../../lib/sql.ts";
import { page, SUMMARY, type MessageRow } from "../messages/rows.ts";

type Nullable<T> = T | null;

/** Bounds and filters of a listing, in the order of its parameters; null = no filter. Texts are folded by `foldForMatch`. */
export type ListingParams = [
  minSeq: number,
  maxSeq: number,
  direction: Nullable<string>,
  from: Nullable<string>,
  to: Nullable<string>,
  subject: Nullable<string>,
  hasAttachment: Nullable<number>,
];
export const FILTERS = `m.seq >= ?1 AND m.seq <= ?2
  AND (?3 IS NULL OR m.direction = ?3)
  AND (?4 IS NULL OR instr(m.sender_folded, ?4) > 0)
  AND (?5 IS NULL OR instr(lower(m.to_address), lower(?5)) > 0)
  AND (?6 IS NULL OR instr(m.subject_folded, ?6) > 0)
  AND (?7 IS NULL OR (m.attachment_count > 0) = ?7)`;
export type PageParams = [limit: number, offset: number];
/** The inbox without filters, the most frequent request. */
export const LIST_NEWEST: Query<MessageRow, [below: number, limit: number]> = {
  text: `SELECT ${SUMMARY} FROM message m WHERE m.seq < ? AND m.hidden = 0
    ORDER BY m.seq DESC ${page("?")}`,
};
export const LIST_MESSAGES: Query<MessageRow, [...ListingParams, ...PageParams]> = {
  text: `SELECT ${SUMMARY} FROM message m WHERE ${FILTERS} AND m.hidden = 0
    ORDER BY m.seq DESC ${page("?8", "?9")}`,
};
export const LIST_LABELLED: Query<MessageRow, [...ListingParams, ...PageParams, label: string]> = {
  text: `SELECT ${SUMMARY} FROM message_label l JOIN message m ON m.seq = l.seq
    WHERE l.label = ?10 AND l.seq >= ?1 AND l.seq <= ?2 AND ${FILTERS} ORDER BY l.seq DESC ${page("?8", "?9")}`,
};
export const LIST_THREADS: Query<
  MessageRow & { message_count: number; participants: string },
  [snapshot: number, below: number, limit: number]
> = {
  // The newest message of a thread represents it. Walking down from the newest needs no index of its own. `snapshot`, the
  // newest seq of the first page, keeps later pages right while mail arrives.
  text: `SELECT ${SUMMARY},
      (SELECT count(*) FROM message n WHERE n.thread = m.thread) AS message_count,
      (SELECT json_group_array(DISTINCT p.sender) FROM
        (SELECT json_extract(n.listing, '$.from_address') AS sender FROM message n WHERE n.thread = m.thread ORDER BY n.seq DESC LIMIT 100) p) AS participants
    FROM message m
    WHERE m.seq <= ?1 AND m.seq < ?2 AND m.hidden = 0
      AND NOT EXISTS (SELECT 1 FROM message n WHERE n.thread = m.thread AND n.seq > m.seq AND n.seq <= ?1)
    ORDER BY m.seq DESC ${page("?3")}`,
};
export const THREAD_PAGE_SIZES: Query<
  { seq: number; bytes: number },
  [thread: number, below: number, limit: number]
> = {
  // Control characters take six times as many bytes in JSON as in the message. SQLite knows a column's length without
  // reading it.
  text: `SELECT m.seq, max(m.size_bytes, octet_length(c.attachments) + ifnull(octet_length(c.body), 0)) AS bytes
    FROM message m JOIN content c ON c.seq = m.seq WHERE m.thread = ? AND m.seq < ? ORDER BY m.seq DESC ${page("?")}`,
};
