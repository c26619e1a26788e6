import type { Schema, StepRecord } from "../../lib/schemas.ts";

/** The mailbox's own row. It has the first key too, and the record of the tables that were made. */
export const ACCOUNT: Schema = {
  name: "account",
  whole: `CREATE TABLE account (
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
  directory_due INTEGER,
  last_event INTEGER NOT NULL DEFAULT 0,
  webhook_secret TEXT,
  webhook_secret_before TEXT,
  webhook_secret_changed_at INTEGER,
  sends_day TEXT NOT NULL DEFAULT '',
  sends_count INTEGER NOT NULL DEFAULT 0,
  webhook_recovery INTEGER NOT NULL DEFAULT 0,
  first_key TEXT,
  steps TEXT
);`,
  steps: [
    `CREATE TABLE account (
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
  directory_due INTEGER,
  last_event INTEGER NOT NULL DEFAULT 0,
  webhook_secret TEXT,
  webhook_secret_before TEXT,
  webhook_secret_changed_at INTEGER,
  sends_day TEXT NOT NULL DEFAULT '',
  sends_count INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;`,
    "ALTER TABLE account ADD COLUMN webhook_recovery INTEGER NOT NULL DEFAULT 0;",
    `ALTER TABLE account ADD COLUMN first_key TEXT;
ALTER TABLE account ADD COLUMN steps TEXT;`,
  ],
};

/** Keys beside the first one. Mailboxes that were made before the first key had its column have all of theirs here. */
export const KEYS: Schema = {
  name: "keys",
  steps: [
    `CREATE TABLE api_key (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL,
  scope TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;`,
  ],
  madeBy: "account-1",
};

/** A new mailbox records its steps in its own row: a table for them would take a page. */
export const STEPS: StepRecord = {
  table: "account",
  read: { text: "SELECT steps FROM account" },
  write: { text: "UPDATE account SET steps = ? WHERE one = 1" },
};
