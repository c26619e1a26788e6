import type { Schema } from "../../lib/schemas.ts";

/**
 * The targets of webhooks and their deliveries. One index serves the waiting deliveries of both kinds: first attempts
 * (due_at = 0), in the order of the log, and retries. Ids of targets are never reused: deliveries of a removed target must
 * not go to another one.
 */
export const WEBHOOKS: Schema = {
  name: "webhooks",
  steps: [
    `CREATE TABLE webhook_target (
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
) WITHOUT ROWID;`,
  ],
};
