import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import { page, SUMMARY, type MessageRow } from "../messages/rows.ts";
import { ROWS_A_TURN } from "../turns.ts";

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
/** The operators of a search: each is a JSON array of texts, all of which must match. */
export type Wanted = [labels: string, from: string, to: string, subject: string];
/** The parameters of `CONDITIONS`. */
export type ConditionParams = [...ListingParams, ...Wanted];
const NONE = "'[]'";
/** Filters and operators. An empty list of an operator is compared as text, because `json_each` takes longer than a row. */
export const CONDITIONS = `m.seq >= ?1 AND m.seq <= ?2
  AND (?3 IS NULL OR m.direction = ?3)
  AND (?4 IS NULL OR instr(m.sender_folded, ?4) > 0)
  AND (?5 IS NULL OR instr(lower(m.to_address), lower(?5)) > 0)
  AND (?6 IS NULL OR instr(m.subject_folded, ?6) > 0)
  AND (?7 IS NULL OR (m.attachment_count > 0) = ?7)
  AND (?8 = ${NONE} OR NOT EXISTS (SELECT 1 FROM json_each(?8) w WHERE NOT EXISTS
    (SELECT 1 FROM message_label l WHERE l.label = w.value AND l.seq = m.seq)))
  AND (?9 = ${NONE} OR NOT EXISTS (SELECT 1 FROM json_each(?9) w WHERE instr(m.sender_folded, w.value) = 0))
  AND (?10 = ${NONE} OR NOT EXISTS (SELECT 1 FROM json_each(?10) w WHERE instr(lower(m.to_address), lower(w.value)) = 0))
  AND (?11 = ${NONE} OR NOT EXISTS (SELECT 1 FROM json_each(?11) w WHERE instr(m.subject_folded, w.value) = 0))`;

/** Where a turn takes its messages from: all of the mailbox, or those with the label `?16`. */
const SOURCES = {
  all: `(SELECT seq, thread, status, labels, listing, direction, sender_folded, to_address, subject_folded,
      attachment_count, hidden FROM message WHERE ?16 IS NULL AND seq >= ?1 AND seq <= ?2
      ORDER BY seq DESC LIMIT ${ROWS_A_TURN}) m`,
  labelled: `(SELECT seq FROM message_label WHERE label = ?16 AND seq >= ?1 AND seq <= ?2
      ORDER BY seq DESC LIMIT ${ROWS_A_TURN}) l CROSS JOIN message m ON m.seq = l.seq`,
} as const;
/** `without`: a full-text expression whose matches are left out; null = none. */
type TurnParams = [
  ...ConditionParams,
  without: Nullable<string>,
  isHiddenShown: number,
  limit: number,
  offset: number,
  label: Nullable<string>,
];
/** The statements of one turn, which looks at ROWS_A_TURN messages at most; the LIMIT of the source keeps their order. */
export interface TurnStatements {
  /** The wanted ones, newest first. A negative limit is none. */
  read: Query<MessageRow, TurnParams>;
  readSeqs: Query<{ seq: Seq }, TurnParams>;
  count: Query<{ count: number }, TurnParams>;
  /** The oldest message of a turn, if others follow it. */
  end: Query<{ seq: Seq }, [minSeq: Seq, maxSeq: Seq, label: Nullable<string>]>;
}

/** Which messages of a turn the expression `?12` leaves out. Without one, the full-text index need not exist. */
const EXCLUSIONS = {
  none: "?12 IS NULL",
  some: `m.seq NOT IN (SELECT f.rowid FROM search f WHERE f.search MATCH ?12
      AND f.rowid >= CAST(?1 AS INTEGER) AND f.rowid <= CAST(?2 AS INTEGER))`,
} as const;
type Exclusion = keyof typeof EXCLUSIONS;

function turnOf(source: keyof typeof SOURCES, exclusion: Exclusion): TurnStatements {
  const rows = source === "all" ? "message WHERE ?3 IS NULL" : "message_label WHERE label = ?3";
  const wanted = `FROM ${SOURCES[source]} WHERE ${CONDITIONS}
    AND ${EXCLUSIONS[exclusion]} AND (?13 OR m.hidden = 0)`;
  return {
    read: { text: `SELECT ${SUMMARY} ${wanted} ${page("?14", "?15")}` },
    readSeqs: { text: `SELECT m.seq ${wanted} ${page("?14", "?15")}` },
    count: { text: `SELECT count(*) AS count FROM (SELECT 1 ${wanted} ${page("?14", "?15")})` },
    end: {
      text: `SELECT seq FROM ${rows} AND seq >= ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT 1 OFFSET ${ROWS_A_TURN - 1}`,
    },
  };
}

/**
 * As `read` of all messages, for a listing without filters: SQLite prepares it in a third of the time, which is much of what a
 * mailbox does when it wakes.
 */
export const READ_ALL: Query<MessageRow, [minSeq: Seq, maxSeq: Seq, limit: number, offset: number]> = {
  text: `SELECT ${SUMMARY} FROM (SELECT seq, thread, status, labels, listing, hidden FROM message
      WHERE seq >= ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT ${ROWS_A_TURN}) m WHERE m.hidden = 0 ${page("?3", "?4")}`,
};

/** The statements by where messages come from, and by whether an expression leaves some of them out. */
export const TURNS: Readonly<Record<keyof typeof SOURCES, Readonly<Record<Exclusion, TurnStatements>>>> = {
  all: { none: turnOf("all", "none"), some: turnOf("all", "some") },
  labelled: { none: turnOf("labelled", "none"), some: turnOf("labelled", "some") },
};
/** Threads whose newest message is among ROWS_A_TURN messages. */
export const LIST_THREADS: Query<
  MessageRow & { message_count: number; participants: string },
  [snapshot: Seq, max: Seq, limit: number]
> = {
  // The newest message of a thread represents it. Walking down from the newest needs no index of its own. `snapshot`, the
  // newest seq of the first page, keeps later pages right while mail arrives; `max` is not above it.
  text: `SELECT ${SUMMARY},
      (SELECT count(*) FROM message n WHERE n.thread = m.thread) AS message_count,
      (SELECT json_group_array(DISTINCT p.sender) FROM
        (SELECT json_extract(n.listing, '$.from_address') AS sender FROM message n WHERE n.thread = m.thread ORDER BY n.seq DESC LIMIT 100) p) AS participants
    FROM (SELECT seq, thread, status, labels, listing, hidden FROM message WHERE seq <= ?2
      ORDER BY seq DESC LIMIT ${ROWS_A_TURN}) m
    WHERE m.hidden = 0
      AND NOT EXISTS (SELECT 1 FROM message n WHERE n.thread = m.thread AND n.seq > m.seq AND n.seq <= ?1)
    ${page("?3")}`,
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
