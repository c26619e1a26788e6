import type { Schema } from "../../lib/schemas.ts";

/**
 * Outgoing messages. A row stores the parts of a message, from which each attempt and each reader composes the same bytes.
 * Attempts inside the deployment and attempts outside are counted and scheduled separately. Only rows of earlier releases
 * set `outbox.token`.
 */
export const SENDING: Schema = {
  name: "sending",
  steps: [
    `CREATE TABLE outbox (
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
  signature TEXT NOT NULL DEFAULT '',
  inside_tries INTEGER NOT NULL DEFAULT 0,
  inside_due_at INTEGER,
  kept INTEGER NOT NULL DEFAULT 0,
  unended INTEGER NOT NULL DEFAULT 0,
  inside_unended INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_inside_due ON outbox (inside_due_at) WHERE inside_due_at IS NOT NULL;
CREATE INDEX outbox_kept ON outbox (seq) WHERE kept = 1;
CREATE TABLE recipient (
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  address TEXT NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  diagnostic TEXT,
  provider_id TEXT,
  inside INTEGER NOT NULL DEFAULT 0,
  token TEXT,
  handed_at INTEGER,
  PRIMARY KEY (seq, position)
) WITHOUT ROWID;
CREATE INDEX recipient_provider ON recipient (provider_id) WHERE provider_id IS NOT NULL;
CREATE UNIQUE INDEX recipient_token ON recipient (token) WHERE token IS NOT NULL;
CREATE TABLE send_key (
  key TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  answer TEXT
) WITHOUT ROWID;
CREATE TABLE suppression (
  address TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  seq INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sending_obstacle (one INTEGER PRIMARY KEY CHECK (one = 1), reply TEXT NOT NULL, at INTEGER NOT NULL);`,
  ],
};
