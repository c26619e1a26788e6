import type { Migration } from "../lib/migrate.ts";
import type { Seq } from "../lib/ids.ts";
import type { EventKind } from "../contract/event.ts";
import type { MessageStatus } from "../contract/message.ts";
import type { DeliveryError, DeliveryState } from "../contract/webhook.ts";
import type { Scope } from "../contract/scope.ts";
import type { RecipientState } from "../outbound/ledger.ts";

/** The mailbox itself; one row. */
export type AccountRow = {
  /** Canonical address. */
  address: string;
  kind: "permanent" | "temporary";
  /** `closing`: erased for everybody; what is left waits for the blob store and the directory. */
  status: "active" | "paused" | "closing";
  /** ms since 1970, as every time here. */
  created_at: number;
  /** null = never. */
  expires_at: number | null;
  display_name: string | null;
  paused_at: number | null;
  pause_reason: string | null;
  /** The newest number handed out; it survives the deletion of its message. */
  last_seq: Seq;
  inbound: number;
  outbound: number;
  /** UTC month `YYYY-MM` that `month_count` counts. */
  month: string;
  month_count: number;
  /** Messages that the parser gave up on. */
  unparsed: number;
  storage_bytes: number;
  /** When the directory is told (again) of this state; null = it knows. */
  directory_due: number | null;
  /** `seq` of the newest entry of the log; it survives the entry. */
  last_event: number;
  /** Signs the webhooks; null = the deployment's does. */
  webhook_secret: string | null;
  /** What signed before the last change, in the same words. */
  webhook_secret_before: string | null;
  /** When that was; null = never. */
  webhook_secret_changed_at: number | null;
  /** UTC day `YYYY-MM-DD` that `sends_count` counts; "" before the first send. */
  sends_day: string;
  sends_count: number;
};

/** Where webhooks go: the mailbox's URL or that of one label. */
export type TargetRow = {
  id: number;
  /** "" = the mailbox's own `webhook_url`. */
  label: string;
  /** As it was set. */
  url: string;
  status: "active" | "failed";
  /** Deliveries in a row that failed. */
  failures: number;
  created_at: number;
};

/** One event on its way to one target. */
export type DeliveryRow = {
  /** Time-ordered like the numbers of messages (`nextSeq`): it says when the delivery was made. */
  id: Seq;
  /** `seq` of the log; 0 = a test event, which the log does not know. */
  event: number;
  kind: EventKind;
  /** "" for a test event. */
  email_id: string;
  target: number;
  label: string;
  /** Where the latest attempt went; before the first, where it was to go. */
  url: string;
  state: DeliveryState;
  /** Attempts begun. */
  attempts: number;
  /**
   * Null exactly when it is over; 0 until the first attempt begins. While an attempt is under way, the end of its lease:
   * past it, whoever made the attempt is dead.
   */
  due_at: number | null;
  /** Begin of the attempt under way; null = none is. */
  begun_at: number | null;
};

/** One attempt that ended. */
export type AttemptRow = {
  delivery: Seq;
  /** From 1. */
  number: number;
  at: number;
  status: number | null;
  error: DeliveryError | null;
  /** Null if nobody lived to see its end. */
  duration_ms: number | null;
  answer: string;
};

export type KeyRow = {
  id: string;
  /** SHA-256 of the secret, hex. */
  secret_hash: string;
  scope: Scope;
  created_at: number;
  expires_at: number | null;
  /** Written at most once an hour. */
  last_used_at: number | null;
};

/** What a listing needs of a message: few columns, because each costs more than its bytes. */
export type MessageRow = {
  seq: Seq;
  /** `seq` of the message that began the thread. */
  thread: Seq;
  status: MessageStatus;
  /** JSON array. */
  labels: string;
  /** JSON of Listing: what of a listing never changes, ready to be sent. */
  listing: string;
};

/** What the search for codes needs of a message. */
export type CodeRow = {
  seq: Seq;
  code: string | null;
  link: string | null;
  /** Address and name of the sender, folded (`foldForMatch`). */
  sender_folded: string;
  listing: string;
};

/** What one email needs beyond its listing. */
export type ContentRow = {
  detail: string;
  /** JSON array of StoredAttachment. */
  attachments: string;
  body: string | null;
  raw_key: string | null;
  parts_key: string | null;
  size_bytes: number;
};

/** A message of ours as it is composed, and when it is tried next. */
export type OutboxRow = {
  seq: Seq;
  /** JSON of OutgoingMessage but for text and html, which have columns of their own: together they may be 1.5 MB. */
  message: string;
  text: string;
  html: string;
  /** JSON array: ids of the uploads that hold the attachments. */
  files: string;
  return_path: string;
  /** What reports come back to; null where the return path is the mailbox itself. */
  token: string | null;
  smtp_utf8: 0 | 1;
  tries: number;
  /** The next try, or the end of the lease of one under way; null = nobody tries. */
  due_at: number | null;
  /** Whether the log told that a transport took it. */
  told_sent: 0 | 1;
  /** DKIM-Signature field with its line end, made at the first try; "" before that, and without a key. */
  signature: string;
};

export type RecipientRow = {
  seq: Seq;
  position: number;
  address: string;
  state: RecipientState;
  /** When it came to that state. */
  at: number;
  /** The last that a host said of it; null = nothing yet. */
  diagnostic: string | null;
};

/** An address that nothing more is sent to. */
export type SuppressionRow = { address: string; reason: "bounce" | "complaint"; at: number; seq: Seq };

/** A file on its way into a message. */
export type UploadRow = {
  /** Public id. */
  id: string;
  /** Where its bytes lie in the blob store. */
  key: string;
  filename: string;
  content_type: string;
  /** While it comes in: the room that is kept free for it. Counted in `storage_bytes` either way. */
  size_bytes: number;
  /** Hex; null while it comes in. */
  sha256: string | null;
  created_at: number;
  /** null = a message uses it. */
  expires_at: number | null;
};

/**
 * Tables whose rows follow from the raw messages and from `message`. Reindexing makes them again where they are damaged or
 * missing; a later migration that changes one changes it here.
 */
export const DERIVED_TABLES = `
CREATE TABLE IF NOT EXISTS message_label (label TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (label, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS known_id (
  message_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  thread INTEGER NOT NULL,
  seq INTEGER,
  PRIMARY KEY (message_id, digest)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (
  subject, names, addresses, body, code, attachments,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
`;

export const MIGRATIONS: readonly Migration[] = [
  {
    id: "001-mailbox",
    sql: `${DERIVED_TABLES}
CREATE TABLE account (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  address TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  display_name TEXT,
  paused_at INTEGER,
  pause_reason TEXT,
  last_seq INTEGER NOT NULL,
  inbound INTEGER NOT NULL,
  outbound INTEGER NOT NULL,
  month TEXT NOT NULL,
  month_count INTEGER NOT NULL,
  unparsed INTEGER NOT NULL,
  storage_bytes INTEGER NOT NULL,
  directory_due INTEGER
);
CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;
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
  size_bytes INTEGER NOT NULL
);
CREATE INDEX message_thread ON message (thread, seq);
CREATE INDEX message_code ON message (seq) WHERE code IS NOT NULL AND code_taken_at IS NULL;
CREATE INDEX message_link ON message (seq) WHERE link IS NOT NULL AND code_taken_at IS NULL;
CREATE TABLE content (
  seq INTEGER PRIMARY KEY,
  detail TEXT NOT NULL,
  attachments TEXT NOT NULL,
  body TEXT,
  raw_key TEXT,
  parts_key TEXT,
  raw BLOB
);
CREATE TABLE thread_alias (thread INTEGER PRIMARY KEY, became INTEGER NOT NULL);
CREATE INDEX thread_alias_became ON thread_alias (became);
CREATE TABLE blob_to_erase (key TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE blob_chunk (key TEXT NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (key, position));
`,
  },
  {
    id: "002-log",
    sql: `
ALTER TABLE account ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
CREATE TABLE event (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
`,
  },
  {
    id: "003-webhooks",
    // One index for both kinds of waiting jobs, first attempts (due_at = 0) in the order of the log; none for those that
    // are over. Numbers of targets are never used again: jobs of one that is gone must not find another.
    sql: `
ALTER TABLE account ADD COLUMN webhook_secret TEXT;
ALTER TABLE account ADD COLUMN webhook_secret_before TEXT;
ALTER TABLE account ADD COLUMN webhook_secret_changed_at INTEGER;
CREATE TABLE webhook_target (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  label TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  failures INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE delivery (
  id INTEGER PRIMARY KEY,
  event INTEGER NOT NULL,
  kind TEXT NOT NULL,
  email_id TEXT NOT NULL,
  target INTEGER NOT NULL,
  label TEXT NOT NULL,
  url TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER,
  begun_at INTEGER
);
CREATE INDEX delivery_due ON delivery (target, due_at, event) WHERE due_at IS NOT NULL;
CREATE TABLE attempt (
  delivery INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  duration_ms INTEGER,
  answer TEXT NOT NULL,
  PRIMARY KEY (delivery, number)
) WITHOUT ROWID;
`,
  },
  {
    id: "004-uploads",
    sql: `
CREATE TABLE upload (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  filename TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) WITHOUT ROWID;
CREATE INDEX upload_expiry ON upload (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE upload_use (message INTEGER NOT NULL, upload TEXT NOT NULL, PRIMARY KEY (message, upload)) WITHOUT ROWID;
CREATE INDEX upload_use_upload ON upload_use (upload);
`,
  },
  {
    id: "005-outbox",
    // A message is kept as what it is composed of: the same parts make the same bytes at every try and for whoever reads it.
    sql: `
ALTER TABLE account ADD COLUMN sends_day TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN sends_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY,
  message TEXT NOT NULL,
  text TEXT NOT NULL,
  html TEXT NOT NULL,
  files TEXT NOT NULL,
  return_path TEXT NOT NULL,
  token TEXT UNIQUE,
  smtp_utf8 INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  due_at INTEGER,
  told_sent INTEGER NOT NULL,
  signature TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE recipient (
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  address TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  diagnostic TEXT,
  PRIMARY KEY (seq, position)
) WITHOUT ROWID;
CREATE TABLE suppression (
  address TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  seq INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE send_key (key TEXT PRIMARY KEY, digest TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
`,
  },
  {
    id: "006-provider",
    // What the platform's events call a message, where it is they that tell what became of it.
    sql: `
ALTER TABLE recipient ADD COLUMN provider_id TEXT;
CREATE INDEX recipient_provider ON recipient (provider_id) WHERE provider_id IS NOT NULL;
`,
  },
];
