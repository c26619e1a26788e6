import type { Schema } from "../../lib/schemas.ts";

/** The mailbox's own row, and its keys. */
export const ACCOUNT: Schema = {
  name: "account",
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
  ],
};
