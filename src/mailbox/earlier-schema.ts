import type { Migration } from "../lib/migrate.ts";
import { LATE_BLOBS } from "./blobs/schema.ts";
import { DERIVED_TABLES } from "./messages/schema.ts";

/**
 * The one chain of steps by which releases up to 0.1.0 made all tables of a mailbox. It upgrades mailboxes of such a
 * release; new ones use the schemas of their capabilities (`schemas.ts`). It never changes.
 */
export const EARLIER_STEPS: readonly Migration[] = [
  {
    id: "001-mailbox",
    sql: `${DERIVED_TABLES.beside}${DERIVED_TABLES.search}
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
    // One index serves both kinds of waiting deliveries, first attempts (due_at = 0) in the order of the log; finished ones
    // are not in it. Ids of targets are never reused: deliveries of a removed target must not go to another one.
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
    // A message is stored as the parts that it is composed of: the same parts give the same bytes for every try and every
    // reader.
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
    // The name that the sending service gives a message; its events use that name.
    sql: `
ALTER TABLE recipient ADD COLUMN provider_id TEXT;
CREATE INDEX recipient_provider ON recipient (provider_id) WHERE provider_id IS NOT NULL;
`,
  },
  {
    id: "007-ways",
    // Recipients inside and outside the deployment have tries and due times of their own.
    sql: `
ALTER TABLE outbox ADD COLUMN inside_tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN inside_due_at INTEGER;
CREATE INDEX outbox_inside_due ON outbox (inside_due_at) WHERE inside_due_at IS NOT NULL;
ALTER TABLE recipient ADD COLUMN inside INTEGER NOT NULL DEFAULT 0;
UPDATE recipient SET inside = 1 WHERE lower(address) LIKE
  (SELECT '%' || substr(address, instr(address, '@')) FROM account);
UPDATE outbox SET inside_tries = tries, inside_due_at = due_at
  WHERE EXISTS (SELECT 1 FROM recipient WHERE recipient.seq = outbox.seq AND inside = 1);
UPDATE outbox SET due_at = NULL
  WHERE NOT EXISTS (SELECT 1 FROM recipient WHERE recipient.seq = outbox.seq AND inside = 0);
`,
  },
  {
    id: "008-domains",
    // A mailbox has few domains: all are read at once and cached.
    sql: `
CREATE TABLE domain (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  selector TEXT NOT NULL,
  private_key TEXT NOT NULL,
  public_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  held INTEGER NOT NULL DEFAULT 0,
  verified_at INTEGER,
  seen_at INTEGER,
  gone_at INTEGER,
  checked_at INTEGER,
  due_at INTEGER,
  results TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;
`,
  },
  {
    id: "009-take-over",
    sql: `
CREATE TABLE take_over (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  address TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER
);
`,
  },
  {
    id: "010-embeddings",
    // Vectors of messages, one signed byte a dimension, and the progress of embedding (`embeddings/rows.ts`).
    sql: `
CREATE TABLE embedding (seq INTEGER PRIMARY KEY, generation INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE embedding_state (
  model TEXT NOT NULL,
  generation INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  low INTEGER NOT NULL,
  high INTEGER NOT NULL,
  embedded INTEGER NOT NULL,
  failed INTEGER NOT NULL
);
`,
  },
  {
    id: "011-kept",
    // Mail that was not sent because no transport is configured. Reports to the directory have more fields since this step,
    // so each mailbox reports when it next wakes.
    sql: `
ALTER TABLE outbox ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
UPDATE outbox SET kept = 1 WHERE EXISTS
  (SELECT 1 FROM recipient r WHERE r.seq = outbox.seq AND r.inside = 0 AND r.diagnostic LIKE 'Kept here:%');
CREATE INDEX outbox_kept ON outbox (seq) WHERE kept = 1;
UPDATE account SET directory_due = 0 WHERE directory_due IS NULL AND (EXISTS (SELECT 1 FROM outbox WHERE kept = 1)
  OR EXISTS (SELECT 1 FROM webhook_target WHERE status = 'failed'));
`,
  },
  {
    id: "012-code-evidence",
    // The version of the code that looked for a verification code, and the evidence it found. Older rows are of version 1.
    sql: `
ALTER TABLE message ADD COLUMN code_evidence TEXT;
ALTER TABLE message ADD COLUMN code_reader INTEGER NOT NULL DEFAULT 1;
`,
  },
  {
    id: "013-recipient-tokens",
    // Each recipient has its own token; new messages get no common one (outbox.token). A report under a common token is
    // believed only if a host accepted the message and the report contains the name from that host's reply.
    sql: `
ALTER TABLE recipient ADD COLUMN token TEXT;
ALTER TABLE recipient ADD COLUMN handed_at INTEGER;
CREATE UNIQUE INDEX recipient_token ON recipient (token) WHERE token IS NOT NULL;
UPDATE recipient SET handed_at = at WHERE state = 'sent' AND inside = 0;
`,
  },
  {
    id: "014-sending",
    // Tries that were begun since one last ended, for each way: a message that kills the process each time is given up.
    // Also the answer to a repeated send whose email is deleted.
    sql: `
ALTER TABLE outbox ADD COLUMN unended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN inside_unended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE send_key ADD COLUMN answer TEXT;
`,
  },
  {
    id: "015-blob-ends",
    // A blob that is being erased cannot be claimed, even after a crash. `late_blob` outlives the mailbox: a blob that was
    // being written when the mailbox ended may appear afterwards.
    sql: `
ALTER TABLE blob_to_erase ADD COLUMN erasing INTEGER NOT NULL DEFAULT 0;
${LATE_BLOBS}
`,
  },
  {
    id: "016-sending-obstacle",
    sql: `
CREATE TABLE sending_obstacle (one INTEGER PRIMARY KEY CHECK (one = 1), reply TEXT NOT NULL, at INTEGER NOT NULL);
`,
  },
  {
    id: "017-take-over-problem",
    sql: "ALTER TABLE take_over ADD COLUMN problem TEXT;",
  },
  {
    id: "018-bodies",
    // Where texts that are too large for a row are stored, and their layout. Older mail gets them when it is first read.
    sql: `
ALTER TABLE content ADD COLUMN body_key TEXT;
ALTER TABLE content ADD COLUMN body_layout TEXT;
`,
  },
];
