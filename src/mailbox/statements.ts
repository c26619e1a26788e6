import type { Query } from "../lib/sql.ts";
import type { Seq } from "../lib/ids.ts";
import type { AccountRow, CodeRow, ContentRow, KeyRow, MessageRow } from "./schema.ts";

type Nullable<T> = T | null;

/**
 * LIMIT and OFFSET by parameters. SQLite's planner looks at the number bound to a bare one and prepares the statement anew
 * for the next, which costs as much as reading a page; it does not look into an expression.
 */
function page(limit: string, offset?: string): string {
  return `LIMIT ${limit} + 0${offset === undefined ? "" : ` OFFSET ${offset} + 0`}`;
}

export const READ_ACCOUNT: Query<AccountRow, []> = {
  text: `SELECT address, kind, status, created_at, expires_at, display_name, paused_at, pause_reason, last_seq,
    inbound, outbound, month, month_count, unparsed, storage_bytes, directory_due,
    last_event, webhook_secret, webhook_secret_before, webhook_secret_changed_at, sends_day, sends_count
    FROM account`,
};
export const INSERT_ACCOUNT: Query<
  never,
  [string, string, number, Nullable<number>, number, string, number]
> = {
  text: `INSERT INTO account (one, address, kind, status, created_at, expires_at, last_seq, month, directory_due,
    inbound, outbound, month_count, unparsed, storage_bytes) VALUES (1, ?, ?, 'active', ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)`,
};
export const COUNT_MESSAGE: Query<never, [number, number, number, string, number, number, number, number]> = {
  // The row is named, though there is but one: an UPDATE of who knows how many rows keeps a journal to undo itself.
  text: `UPDATE account SET last_seq = ?, inbound = ?, outbound = ?, month = ?, month_count = ?, unparsed = ?, storage_bytes = ?,
    last_event = ? WHERE one = 1`,
};
export const KEEP_LAST_EVENT: Query<never, [number]> = { text: "UPDATE account SET last_event = ?" };
export const COUNT_STORAGE: Query<never, [number]> = {
  text: "UPDATE account SET storage_bytes = ? WHERE one = 1",
};
export const COUNT_DELETION: Query<never, [number, number, number]> = {
  text: "UPDATE account SET inbound = ?, outbound = ?, storage_bytes = ?",
};
export const SET_STATUS: Query<never, [string, Nullable<number>, Nullable<string>, number]> = {
  text: "UPDATE account SET status = ?, paused_at = ?, pause_reason = ?, directory_due = ?",
};
export const SET_EXPIRY: Query<never, [expiresAt: number]> = { text: "UPDATE account SET expires_at = ?" };
export const SET_KEY_EXPIRY: Query<never, [expiresAt: number, id: string]> = {
  text: "UPDATE api_key SET expires_at = ? WHERE id = ?",
};
export const SET_DISPLAY_NAME: Query<never, [Nullable<string>]> = {
  text: "UPDATE account SET display_name = ?",
};
export const COUNT_SEND: Query<never, [day: string, count: number]> = {
  text: "UPDATE account SET sends_day = ?, sends_count = ?",
};
export const SET_WEBHOOK_SECRET: Query<never, [Nullable<string>, Nullable<string>, number]> = {
  text: "UPDATE account SET webhook_secret = ?, webhook_secret_before = ?, webhook_secret_changed_at = ?",
};
export const SET_DIRECTORY_DUE: Query<never, [Nullable<number>]> = {
  text: "UPDATE account SET directory_due = ?",
};
/** What the directory is told besides the mailbox's own row. */
export const ATTENTION: Query<{ failed: 0 | 1; kept: Nullable<Seq>; obstacle: 0 | 1 }, []> = {
  text: `SELECT EXISTS (SELECT 1 FROM webhook_target WHERE status = 'failed') AS failed,
    (SELECT max(seq) FROM outbox WHERE kept = 1) AS kept,
    EXISTS (SELECT 1 FROM sending_obstacle) AS obstacle`,
};

export const LIST_KEYS: Query<KeyRow, []> = {
  text: "SELECT id, secret_hash, scope, created_at, expires_at, last_used_at FROM api_key ORDER BY id",
};
export const INSERT_KEY: Query<never, [string, string, string, number, Nullable<number>]> = {
  text: "INSERT INTO api_key (id, secret_hash, scope, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
};
export const DELETE_KEY: Query<never, [string]> = { text: "DELETE FROM api_key WHERE id = ?" };
export const DELETE_KEYS: Query<never, []> = { text: "DELETE FROM api_key" };
export const TOUCH_KEY: Query<never, [number, string]> = {
  text: "UPDATE api_key SET last_used_at = ? WHERE id = ?",
};

const SUMMARY = "m.seq, m.thread, m.status, m.labels, m.listing";
const EMAIL = `${SUMMARY}, c.detail, c.attachments, c.body, c.body_key, c.body_layout, c.raw_key, c.parts_key, m.size_bytes, m.link`;
const CODE = "m.seq, m.code, m.link, m.code_evidence, m.sender_folded, m.listing";

/** Characters of a stored body in which a search looks for what to show: it does so for each row of a page. */
const EXCERPT_SOURCE_CHARS = 4_000;
// Most bodies are shorter. Their length is known without reading them, while `substr` counts their characters.
const BODY_START = `CASE WHEN octet_length(c.body) <= ${EXCERPT_SOURCE_CHARS} THEN c.body
  ELSE substr(c.body, 1, ${EXCERPT_SOURCE_CHARS}) END AS body_start`;

/** Bounds and filters of a listing, in the order of its parameters; null = no filter. Texts are folded (`foldForMatch`). */
export type ListingParams = [
  minSeq: number,
  maxSeq: number,
  direction: Nullable<string>,
  from: Nullable<string>,
  to: Nullable<string>,
  subject: Nullable<string>,
  hasAttachment: Nullable<number>,
];

const FILTERS = `m.seq >= ?1 AND m.seq <= ?2
  AND (?3 IS NULL OR m.direction = ?3)
  AND (?4 IS NULL OR instr(m.sender_folded, ?4) > 0)
  AND (?5 IS NULL OR instr(lower(m.to_address), lower(?5)) > 0)
  AND (?6 IS NULL OR instr(m.subject_folded, ?6) > 0)
  AND (?7 IS NULL OR (m.attachment_count > 0) = ?7)`;

type PageParams = [limit: number, offset: number];

/** What the operators of a search want, each a JSON array of texts of which every one must hold. */
export type Wanted = [labels: string, from: string, to: string, subject: string];
const WANTED = `NOT EXISTS (SELECT 1 FROM json_each(?10) w WHERE NOT EXISTS
    (SELECT 1 FROM message_label l WHERE l.label = w.value AND l.seq = m.seq))
  AND NOT EXISTS (SELECT 1 FROM json_each(?11) w WHERE instr(m.sender_folded, w.value) = 0)
  AND NOT EXISTS (SELECT 1 FROM json_each(?12) w WHERE instr(lower(m.to_address), lower(w.value)) = 0)
  AND NOT EXISTS (SELECT 1 FROM json_each(?13) w WHERE instr(m.subject_folded, w.value) = 0)`;

/** The plain inbox: what most callers ask most often. */
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
/** A message found, how well, and the beginning of its stored body (`bodyTextStart`). */
export type SearchHit = MessageRow & { score: number; body_start: string | null };

/** A message found, and how well. */
export type RankedHit = { seq: number; score: number };
type PlainParams = [maxSeq: number, limit: number, offset: number, match: string];

/** The best hits of a search without any filter: the index alone ranks them. */
export const RANK_PLAIN: Query<RankedHit, PlainParams> = {
  text: `SELECT f.rowid AS seq, -bm25(search, 8.0, 4.0, 4.0, 1.0, 8.0, 3.0) AS score
      FROM search f WHERE search MATCH ?4 AND f.rowid <= ?1
      ORDER BY score DESC, f.rowid DESC ${page("?2", "?3")}`,
};
/** As RANK_PLAIN with filters. */
export const RANK_MESSAGES: Query<RankedHit, [...ListingParams, ...PageParams, ...Wanted, match: string]> = {
  text: `SELECT f.rowid AS seq, -bm25(search, 8.0, 4.0, 4.0, 1.0, 8.0, 3.0) AS score
      FROM search f JOIN message m ON m.seq = f.rowid
      WHERE search MATCH ?14 AND ${FILTERS} AND ${WANTED}
      ORDER BY score DESC, f.rowid DESC ${page("?8", "?9")}`,
};
/** Rows of messages that were found, in no order. */
export const READ_HITS: Query<SearchHit, [seqs: string]> = {
  text: `SELECT ${SUMMARY}, 0.0 AS score, ${BODY_START}
    FROM message m LEFT JOIN content c ON c.seq = m.seq WHERE m.seq IN (SELECT value FROM json_each(?))`,
};
/** A search without any filter; rows of messages are read for one page. */
export const SEARCH_PLAIN: Query<SearchHit, PlainParams> = {
  text: `SELECT ${SUMMARY}, hit.score AS score, ${BODY_START}
    FROM (
      ${RANK_PLAIN.text}
    ) hit JOIN message m ON m.seq = hit.seq LEFT JOIN content c ON c.seq = hit.seq
    ORDER BY hit.score DESC, hit.seq DESC`,
};
export const SEARCH_MESSAGES: Query<SearchHit, [...ListingParams, ...PageParams, ...Wanted, match: string]> =
  {
    // The inner query ranks the hits alone; rows of the wide tables are read for one page.
    text: `SELECT ${SUMMARY}, hit.score AS score, ${BODY_START}
    FROM (
      ${RANK_MESSAGES.text}
    ) hit JOIN message m ON m.seq = hit.seq LEFT JOIN content c ON c.seq = hit.seq
    ORDER BY hit.score DESC, hit.seq DESC`,
  };
type FilterParams = [...ListingParams, ...PageParams, ...Wanted, without: Nullable<string>];
const FILTERED = `${FILTERS} AND ${WANTED}
      AND (?14 IS NULL OR m.seq NOT IN (SELECT f.rowid FROM search f WHERE f.search MATCH ?14))`;

/** As SEARCH_MESSAGES for a search of operators only (`from:`, `label:` …): nothing to rank, newest first. */
export const FILTER_MESSAGES: Query<SearchHit, FilterParams> = {
  text: `SELECT ${SUMMARY}, 0.0 AS score, ${BODY_START}
    FROM message m LEFT JOIN content c ON c.seq = m.seq WHERE ${FILTERED}
    ORDER BY m.seq DESC ${page("?8", "?9")}`,
};
/** Which messages the filters let through. */
export const FILTER_SEQS: Query<{ seq: number }, FilterParams> = {
  text: `SELECT m.seq FROM message m WHERE ${FILTERED} ORDER BY m.seq DESC ${page("?8", "?9")}`,
};

export const FIND_MESSAGE: Query<MessageRow, [number]> = {
  text: `SELECT ${SUMMARY} FROM message m WHERE m.seq = ?`,
};
export const FIND_EMAIL: Query<MessageRow & ContentRow, [number]> = {
  text: `SELECT ${EMAIL}
    FROM message m JOIN content c ON c.seq = m.seq WHERE m.seq = ?`,
};
export const FIND_THREAD: Query<{ thread: number }, [number]> = {
  text: "SELECT thread FROM message WHERE seq = ?",
};
export const READ_RAW: Query<
  { raw: ArrayBuffer | null; raw_key: string | null; size_bytes: number },
  [number]
> = {
  text: "SELECT c.raw, c.raw_key, m.size_bytes FROM content c JOIN message m ON m.seq = c.seq WHERE c.seq = ?",
};

export const LIST_THREADS: Query<
  MessageRow & { message_count: number; participants: string },
  [snapshot: number, below: number, limit: number]
> = {
  // The newest message of a thread stands for it. Walking down from the newest needs no index of its own;
  // `snapshot` keeps later pages right while mail arrives.
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
  // A text of control characters takes six times as much in JSON as in its message; the length of a column is known unread.
  text: `SELECT m.seq, max(m.size_bytes, octet_length(c.attachments) + ifnull(octet_length(c.body), 0)) AS bytes
    FROM message m JOIN content c ON c.seq = m.seq WHERE m.thread = ? AND m.seq < ? ORDER BY m.seq DESC ${page("?")}`,
};
export const COUNT_THREAD: Query<{ count: number }, [thread: number]> = {
  text: "SELECT count(*) AS count FROM message WHERE thread = ?",
};
export const FIND_ALIAS: Query<{ became: number }, [number]> = {
  text: "SELECT became FROM thread_alias WHERE thread = ?",
};
export const ADD_ALIAS: Query<never, [number, number]> = {
  text: "INSERT OR REPLACE INTO thread_alias (thread, became) VALUES (?, ?)",
};
export const MOVE_ALIASES: Query<never, [number, number]> = {
  text: "UPDATE thread_alias SET became = ? WHERE became = ?",
};
export const MOVE_THREAD: Query<never, [number, number]> = {
  text: "UPDATE message SET thread = ? WHERE thread = ?",
};

export const FIND_BEARER: Query<{ digest: string; seq: number }, [string]> = {
  text: "SELECT digest, seq FROM known_id WHERE message_id = ? AND seq IS NOT NULL",
};
type KnownIdRow = { message_id: string; digest: string; seq: Nullable<number>; thread: number };
const KNOWN_ID = "k.message_id, k.digest, k.seq, COALESCE(a.became, k.thread) AS thread";
const WITH_ALIAS = "LEFT JOIN thread_alias a ON a.thread = k.thread";
/** The ids of a JSON array. */
export const KNOWN_IDS: Query<KnownIdRow, [ids: string]> = {
  text: `SELECT ${KNOWN_ID} FROM json_each(?) w JOIN known_id k ON k.message_id = w.value ${WITH_ALIAS}`,
};
/** As KNOWN_IDS for the two names of a message that refers to none, which most do not. */
export const KNOWN_NAMES: Query<KnownIdRow, [id: string, copy: string]> = {
  text: `SELECT ${KNOWN_ID} FROM known_id k ${WITH_ALIAS} WHERE k.message_id IN (?, ?)`,
};
/** Parameters: id, digest, thread, seq. */
type KnownIdParams = [string, string, number, Nullable<number>];
export const LEARN_ID: Query<never, KnownIdParams> = {
  text: "INSERT OR REPLACE INTO known_id (message_id, digest, thread, seq) VALUES (?, ?, ?, ?)",
};
/** As LEARN_ID where nothing stands in the way: replacing needs a journal of its own within the transaction. */
export const LEARN_NEW_ID: Query<never, KnownIdParams> = {
  text: "INSERT INTO known_id (message_id, digest, thread, seq) VALUES (?, ?, ?, ?)",
};

export const INSERT_MESSAGE: Query<
  never,
  [
    ...[seq: number, thread: number, direction: string, status: string, listing: string, toAddress: string],
    ...[senderFolded: string, subjectFolded: string, code: Nullable<string>, link: Nullable<string>],
    ...[attachmentCount: number, labels: string, sizeBytes: number],
    ...[codeEvidence: Nullable<string>, codeReader: number],
  ]
> = {
  text: `INSERT INTO message (seq, thread, direction, status, listing, to_address, sender_folded, subject_folded,
    code, link, attachment_count, labels, size_bytes, code_evidence, code_reader)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
export const INSERT_CONTENT: Query<
  never,
  [
    ...[seq: number, detail: string, attachments: string, body: Nullable<string>],
    ...[bodyKey: Nullable<string>, bodyLayout: Nullable<string>],
    ...[rawKey: Nullable<string>, partsKey: Nullable<string>, raw: Nullable<ArrayBuffer>],
  ]
> = {
  text: `INSERT INTO content (seq, detail, attachments, body, body_key, body_layout, raw_key, parts_key, raw)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
/** Gives a message of an earlier version its stored body. */
export const KEEP_BODY: Query<
  never,
  [body: Nullable<string>, key: Nullable<string>, layout: Nullable<string>, seq: number]
> = { text: "UPDATE content SET body = ?, body_key = ?, body_layout = ? WHERE seq = ?" };
export const WRITE_LISTING: Query<never, [listing: string, seq: number]> = {
  text: "UPDATE message SET listing = ? WHERE seq = ?",
};
export const INSERT_SEARCH: Query<never, [number, string, string, string, string, string, string]> = {
  text: "INSERT INTO search (rowid, subject, names, addresses, body, code, attachments) VALUES (?, ?, ?, ?, ?, ?, ?)",
};
export const REWRITE_MESSAGE: Query<
  never,
  [
    ...[listing: string, senderFolded: string, subjectFolded: string],
    ...[code: Nullable<string>, link: Nullable<string>, codeEvidence: Nullable<string>, codeReader: number],
    ...[attachmentCount: number, seq: number],
  ]
> = {
  // A report that was understood is out of sight (`hidden`) and keeps no code: it quotes a message of ours.
  text: `UPDATE message SET listing = ?, sender_folded = ?, subject_folded = ?, code = iif(hidden, NULL, ?),
    link = iif(hidden, NULL, ?), code_evidence = iif(hidden, NULL, ?), code_reader = ?, attachment_count = ?
    WHERE seq = ?`,
};
export const REWRITE_CONTENT: Query<
  never,
  [
    ...[detail: string, attachments: string, body: Nullable<string>],
    ...[bodyKey: Nullable<string>, bodyLayout: Nullable<string>, partsKey: Nullable<string>, seq: number],
  ]
> = {
  text: `UPDATE content SET detail = ?, attachments = ?, body = ?, body_key = ?, body_layout = ?, parts_key = ?
    WHERE seq = ?`,
};
export const LEARN_IF_NEW: Query<never, KnownIdParams> = {
  text: "INSERT OR IGNORE INTO known_id (message_id, digest, thread, seq) VALUES (?, ?, ?, ?)",
};
export const LIST_FOR_REINDEX: Query<
  {
    seq: number;
    metadata: string;
    size_bytes: number;
    raw_key: Nullable<string>;
    code_taken_at: Nullable<number>;
  },
  [after: number, limit: number]
> = {
  text: `SELECT m.seq, json_extract(c.detail, '$.metadata') AS metadata, m.size_bytes, c.raw_key, m.code_taken_at
    FROM message m JOIN content c ON c.seq = m.seq
    WHERE m.seq > ? AND m.direction = 'inbound' ORDER BY m.seq ${page("?")}`,
};
/** Out of the inbox, of threads and of the counts; labels and search find it. */
export const HIDE: Query<never, [Seq]> = { text: "UPDATE message SET hidden = 1 WHERE seq = ?" };
export const IS_HIDDEN: Query<{ hidden: number }, [Seq]> = {
  text: "SELECT hidden FROM message WHERE seq = ?",
};
export const DELETE_MESSAGE: Query<never, [number]> = { text: "DELETE FROM message WHERE seq = ?" };
export const DELETE_CONTENT: Query<never, [number]> = { text: "DELETE FROM content WHERE seq = ?" };
export const DELETE_SEARCH: Query<never, [number]> = { text: "DELETE FROM search WHERE rowid = ?" };

export const ADD_LABEL: Query<never, [string, number]> = {
  text: "INSERT OR IGNORE INTO message_label (label, seq) VALUES (?, ?)",
};
export const REMOVE_LABEL: Query<never, [string, number]> = {
  text: "DELETE FROM message_label WHERE label = ? AND seq = ?",
};
export const WRITE_LABELS: Query<never, [string, number]> = {
  text: "UPDATE message SET labels = ? WHERE seq = ?",
};

/** Parameters: received after this seq, and a part of the sender (null = any). */
type NewestParams = [after: number, from: Nullable<string>];
const NEWEST = `FROM message m WHERE m.code_taken_at IS NULL AND m.seq > ?1
  AND (?2 IS NULL OR instr(m.sender_folded, ?2) > 0)`;
export const NEWEST_CODE: Query<CodeRow, NewestParams> = {
  text: `SELECT ${CODE} ${NEWEST} AND m.code IS NOT NULL ORDER BY m.seq DESC LIMIT 1`,
};
export const NEWEST_LINK: Query<CodeRow, NewestParams> = {
  text: `SELECT ${CODE} ${NEWEST} AND m.link IS NOT NULL ORDER BY m.seq DESC LIMIT 1`,
};
export const TAKE_CODE: Query<never, [number, number]> = {
  text: "UPDATE message SET code_taken_at = ? WHERE seq = ?",
};

/** Reserves a blob until `dueAt`, or plans its end. One that is being erased stays so. */
export const PLAN_ERASURE: Query<never, [key: string, dueAt: number]> = {
  text: `INSERT INTO blob_to_erase (key, due_at) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at`,
};
/** Takes a reserved blob for a message; no row if it is erased, or about to be. */
export const CLAIM_BLOB: Query<{ key: string }, [key: string]> = {
  text: "DELETE FROM blob_to_erase WHERE key = ? AND erasing = 0 RETURNING key",
};
/** From here on nobody claims these blobs. */
export const BEGIN_ERASURES: Query<{ key: string }, [dueBy: number, limit: number]> = {
  text: `UPDATE blob_to_erase SET erasing = 1 WHERE key IN
    (SELECT key FROM blob_to_erase WHERE due_at <= ? ORDER BY due_at ${page("?")}) RETURNING key`,
};
export const END_ERASURE: Query<never, [key: string]> = { text: "DELETE FROM blob_to_erase WHERE key = ?" };
export const NEXT_ERASURE: Query<{ due_at: Nullable<number> }, []> = {
  text: "SELECT min(due_at) AS due_at FROM (SELECT due_at FROM blob_to_erase UNION ALL SELECT due_at FROM late_blob)",
};
export const POSTPONE_ERASURE: Query<never, [number, string]> = {
  text: "UPDATE blob_to_erase SET due_at = ? WHERE key = ?",
};
export const PLAN_ALL_ERASURES: Query<never, [number]> = {
  text: `INSERT INTO blob_to_erase (key, due_at)
    SELECT key, ?1 FROM (SELECT raw_key AS key FROM content WHERE raw_key IS NOT NULL
      UNION SELECT parts_key FROM content WHERE parts_key IS NOT NULL
      UNION SELECT body_key FROM content WHERE body_key IS NOT NULL
      UNION SELECT key FROM upload
      UNION SELECT key FROM blob_to_erase) WHERE true
    ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at`,
};
/** Blobs of the bucket that somebody may be writing; their reservations end with the mailbox. */
export const KEEP_LATE_BLOBS: Query<never, [now: number]> = {
  text: `INSERT OR IGNORE INTO late_blob (key, due_at)
    SELECT key, due_at FROM blob_to_erase WHERE due_at > ?1 AND erasing = 0 AND key NOT LIKE 'rows:%'
    UNION ALL SELECT key, expires_at FROM upload WHERE expires_at > ?1 AND sha256 IS NULL AND key NOT LIKE 'rows:%'`,
};
export const KEEP_LATE_BLOB: Query<never, [key: string, dueAt: number]> = {
  text: "INSERT OR IGNORE INTO late_blob (key, due_at) VALUES (?, ?)",
};
export const LATE_BLOBS: Query<{ key: string; due_at: number }, []> = {
  text: "SELECT key, due_at FROM late_blob ORDER BY due_at",
};
export const POSTPONE_LATE_BLOB: Query<never, [number, string]> = {
  text: "UPDATE late_blob SET due_at = ? WHERE key = ?",
};
export const REMOVE_LATE_BLOB: Query<never, [key: string]> = { text: "DELETE FROM late_blob WHERE key = ?" };
export const FIND_LATE_BLOBS: Query<{ name: string }, []> = {
  text: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'late_blob'",
};

export const PUT_CHUNK: Query<never, [string, number, ArrayBuffer]> = {
  text: "INSERT OR REPLACE INTO blob_chunk (key, position, bytes) VALUES (?, ?, ?)",
};
export const GET_CHUNK: Query<{ bytes: ArrayBuffer }, [string, number]> = {
  text: "SELECT bytes FROM blob_chunk WHERE key = ? AND position = ?",
};
export const DELETE_CHUNKS: Query<never, [string]> = { text: "DELETE FROM blob_chunk WHERE key = ?" };
