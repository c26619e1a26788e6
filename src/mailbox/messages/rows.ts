import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import type { MessageStatus } from "../../contract/message.ts";

type Nullable<T> = T | null;

/** The columns that a listing needs: few, because each column costs more than its bytes. */
export type MessageRow = {
  seq: Seq;
  /** `seq` of the first message of the thread. */
  thread: Seq;
  status: MessageStatus;
  /** JSON array. */
  labels: string;
  /** JSON of Listing: the constant part of a listing, ready to be sent. */
  listing: string;
};

/** The columns that one email needs beside its listing. */
export type ContentRow = {
  detail: string;
  /** JSON array of StoredAttachment. */
  attachments: string;
  /** JSON object (`bodyJson`); null if it is too large for this row. */
  body: string | null;
  /** Blob in the mailbox's rows that then holds it; null for mail of earlier releases until it is first read. */
  body_key: string | null;
  /** JSON of BodyLayout. */
  body_layout: string | null;
  raw_key: string | null;
  parts_key: string | null;
  size_bytes: number;
  link: string | null;
};

/**
 * LIMIT and OFFSET by parameters, as expressions. For a plain parameter, SQLite's planner looks at the bound number and
 * prepares the statement again for another one, which costs as much as reading a page.
 */
export function page(limit: string, offset?: string): string {
  return `LIMIT ${limit} + 0${offset === undefined ? "" : ` OFFSET ${offset} + 0`}`;
}
/**
 * The listing of a message. Those of releases that did not judge senders lack `sender_verified`: nothing is proven until they are
 * read again (`wholeAuthentication`).
 */
const LISTING = `CASE WHEN m.listing GLOB '{"sender_verified"*' THEN m.listing
  ELSE '{"sender_verified":false,' || substr(m.listing, 2) END AS listing`;
export const SUMMARY = `m.seq, m.thread, m.status, m.labels, ${LISTING}`;
const EMAIL = `${SUMMARY}, c.detail, c.attachments, c.body, c.body_key, c.body_layout, c.raw_key, c.parts_key, m.size_bytes, m.link`;
/** Characters of a stored body that a search scans for a snippet, for each row of a page. */
const EXCERPT_SOURCE_CHARS = 4_000;
// Most bodies are shorter. Their length is known without reading them, while `substr` counts characters.
export const BODY_START = `CASE WHEN octet_length(c.body) <= ${EXCERPT_SOURCE_CHARS} THEN c.body
  ELSE substr(c.body, 1, ${EXCERPT_SOURCE_CHARS}) END AS body_start`;
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
/** Counts the messages of a thread up to a limit. */
export const COUNT_THREAD: Query<{ count: number }, [thread: number, limit: number]> = {
  text: "SELECT count(*) AS count FROM (SELECT 1 FROM message WHERE thread = ? LIMIT ? + 0)",
};
export const MOVE_THREAD: Query<never, [number, number]> = {
  text: "UPDATE message SET thread = ? WHERE thread = ?",
};
export const FIND_BEARER: Query<{ digest: string; seq: number }, [string]> = {
  text: "SELECT digest, seq FROM known_id WHERE message_id = ? AND seq IS NOT NULL",
};
/** Parameters: id, digest, thread, seq. */
type KnownIdParams = [string, string, number, Nullable<number>];
export const LEARN_ID: Query<never, KnownIdParams> = {
  text: "INSERT OR REPLACE INTO known_id (message_id, digest, thread, seq) VALUES (?, ?, ?, ?)",
};
/** As LEARN_ID for a new id. REPLACE would need a journal of its own within the transaction. */
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
    ...[rawKey: Nullable<string>, raw: Nullable<ArrayBuffer>],
    words: Nullable<string>,
  ]
> = {
  text: `INSERT INTO content (seq, detail, attachments, body, body_key, body_layout, raw_key, raw, words)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
/** The words of messages that the full-text index lacks. */
export const LIST_WORDS: Query<{ seq: Seq; words: string }, []> = {
  text: "SELECT seq, words FROM content WHERE words IS NOT NULL ORDER BY seq",
};
export const WRITE_WORDS: Query<never, [words: Nullable<string>, seq: Seq]> = {
  text: "UPDATE content SET words = ? WHERE seq = ?",
};
/** Stores the body of a message that an earlier release stored without it. */
export const STORE_BODY: Query<
  never,
  [body: Nullable<string>, key: Nullable<string>, layout: Nullable<string>, seq: number]
> = { text: "UPDATE content SET body = ?, body_key = ?, body_layout = ? WHERE seq = ?" };
export const WRITE_LISTING: Query<never, [listing: string, seq: number]> = {
  text: "UPDATE message SET listing = ? WHERE seq = ?",
};
/** Writes who sent a message down again, if DNS did not answer when it came. */
export const RECHECK: Query<{ seq: Seq }, [authentication: string, seq: Seq]> = {
  text: `UPDATE content SET detail = json_set(detail, '$.authentication', json(?))
    WHERE seq = ? AND json_extract(detail, '$.authentication.verdict') = 'temperror' RETURNING seq`,
};
export const SET_PROVEN: Query<never, [seq: Seq]> = {
  text: `UPDATE message SET listing = '{"sender_verified":true' || substr(listing, length('{"sender_verified":false') + 1)
    WHERE seq = ? AND listing GLOB '{"sender_verified":false*'`,
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
  // A report that was applied is hidden and has no code: it quotes an outgoing message.
  text: `UPDATE message SET listing = ?, sender_folded = ?, subject_folded = ?, code = iif(hidden, NULL, ?),
    link = iif(hidden, NULL, ?), code_evidence = iif(hidden, NULL, ?), code_reader = ?, attachment_count = ?
    WHERE seq = ?`,
};
export const REWRITE_CONTENT: Query<
  never,
  [
    ...[detail: string, attachments: string, body: Nullable<string>],
    ...[bodyKey: Nullable<string>, bodyLayout: Nullable<string>, seq: number],
  ]
> = {
  text: `UPDATE content SET detail = ?, attachments = ?, body = ?, body_key = ?, body_layout = ?, parts_key = NULL
    WHERE seq = ?`,
};
export const LEARN_IF_NEW: Query<never, KnownIdParams> = {
  text: "INSERT OR IGNORE INTO known_id (message_id, digest, thread, seq) VALUES (?, ?, ?, ?)",
};
export const LIST_FOR_REINDEX: Query<
  {
    seq: number;
    metadata: string;
    /** JSON, by this release or an earlier one; null where nothing was checked. */
    authentication: Nullable<string>;
    size_bytes: number;
    raw_key: Nullable<string>;
    code_taken_at: Nullable<number>;
  },
  [after: number, limit: number]
> = {
  text: `SELECT m.seq, json_extract(c.detail, '$.metadata') AS metadata,
    json_extract(c.detail, '$.authentication') AS authentication,
    m.size_bytes, c.raw_key, m.code_taken_at
    FROM message m JOIN content c ON c.seq = m.seq
    WHERE m.seq > ? AND m.status = 'received' ORDER BY m.seq ${page("?")}`,
};
/** Hides a message from the inbox, threads and counters. Labels and search still find it. */
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

export const SHOW_STATUS: Query<never, [status: string, Seq]> = {
  text: "UPDATE message SET status = ? WHERE seq = ?",
};

/** The name under which a message is stored if another message already bears its Message-ID. */
export function copyName(messageKey: string, digest: string): string {
  return `${messageKey}#${digest}`;
}
/** As the index `content_blobs` says it: only then do statements go by it. */
const HAS_BLOBS = "(raw_key IS NOT NULL OR parts_key IS NOT NULL OR body_key IS NOT NULL)";
/**
 * The messages above a seq and up to another that have blobs: the index answers it alone. Without it, the keys are all that is read
 * of a large row.
 */
export const BLOBS_WITHIN: Query<
  { raw_key: Nullable<string>; parts_key: Nullable<string>; body_key: Nullable<string> },
  [above: Seq, last: Seq]
> = {
  text: `SELECT raw_key, parts_key, body_key FROM content WHERE seq > ? AND seq <= ? AND ${HAS_BLOBS}`,
};
/** The last of the next messages above a seq, if others follow it. */
export const LAST_OF_NEXT: Query<{ seq: Seq }, [above: Seq, count: number]> = {
  text: "SELECT seq FROM content WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ? + 0",
};
/** As LAST_OF_NEXT, of the messages with blobs alone. Without the index it looks at every message above the seq. */
export const LAST_OF_NEXT_WITH_BLOBS: Query<{ seq: Seq }, [above: Seq, count: number]> = {
  text: `SELECT seq FROM content WHERE seq > ? AND ${HAS_BLOBS} ORDER BY seq LIMIT 1 OFFSET ? + 0`,
};
/** Keys of the blobs of all messages. */
export const BLOB_KEYS = `SELECT raw_key AS key FROM content WHERE raw_key IS NOT NULL
  UNION SELECT parts_key FROM content WHERE parts_key IS NOT NULL
  UNION SELECT body_key FROM content WHERE body_key IS NOT NULL`;
