import type { Schema } from "../../lib/schemas.ts";

/** The tables of labels and of known ids. */
const BESIDE = `
CREATE TABLE IF NOT EXISTS message_label (label TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (label, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS known_id (
  message_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  thread INTEGER NOT NULL,
  seq INTEGER,
  PRIMARY KEY (message_id, digest)
) WITHOUT ROWID;
`;

/** The full-text index. */
const SEARCH = `CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (
  subject, names, addresses, body, code, attachments,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
`;

/**
 * Tables whose rows are derived from raw messages and from `message`. Reindexing recreates them if they are damaged or
 * missing, so a later step that changes one of them also changes this text.
 */
export const DERIVED_TABLES = { beside: BESIDE, search: SEARCH };

const MESSAGE = `
CREATE TABLE message (
  seq INTEGER PRIMARY KEY,
  thread INTEGER NOT NULL,
  direction TEXT NOT NULL,
  status TEXT NOT NULL,
  listing TEXT NOT NULL,
  to_address TEXT NOT NULL,
  sender_folded TEXT NOT NULL,
  subject_folded TEXT NOT NULL,
  code TEXT,
  link TEXT,
  code_taken_at INTEGER,
  attachment_count INTEGER NOT NULL,
  labels TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  hidden INTEGER NOT NULL DEFAULT 0,
  code_evidence TEXT,
  code_reader INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX message_thread ON message (thread, seq);
`;
const CONTENT = `CREATE TABLE content (
  seq INTEGER PRIMARY KEY,
  detail TEXT NOT NULL,
  attachments TEXT NOT NULL,
  body TEXT,
  raw_key TEXT,
  parts_key TEXT,
  raw BLOB,
  body_key TEXT,
  body_layout TEXT`;

/** Messages and the tables that find them. `content.words` are the words of a message that the full-text index lacks yet. */
export const MESSAGES: Schema = {
  name: "messages",
  whole: `${BESIDE}${MESSAGE}${CONTENT},
  words TEXT
);`,
  steps: [
    `${BESIDE}${SEARCH}${MESSAGE}${CONTENT}
);`,
    "ALTER TABLE content ADD COLUMN words TEXT;",
  ],
};

/** The full-text index: five tables, which a mailbox with few messages gets when somebody first searches. */
export const SEARCH_INDEX: Schema = { name: "search", steps: [SEARCH], madeBy: "messages-1" };

/**
 * The index of messages with blobs, which has all their keys. Its columns belong to `content`. A mailbox lacks it while it is
 * small, or if an earlier release stored many messages in it.
 */
export const MESSAGE_BLOBS: Schema = {
  name: "message-blobs",
  steps: [
    `CREATE INDEX content_blobs ON content (seq, raw_key, parts_key, body_key)
  WHERE raw_key IS NOT NULL OR parts_key IS NOT NULL OR body_key IS NOT NULL;`,
  ],
};

/** Merged threads: each old number leads to the thread that remains. */
export const THREAD_ALIASES: Schema = {
  name: "thread-aliases",
  steps: [
    `CREATE TABLE thread_alias (thread INTEGER PRIMARY KEY, became INTEGER NOT NULL);
CREATE INDEX thread_alias_became ON thread_alias (became);`,
  ],
};
