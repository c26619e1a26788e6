import type { Schema } from "../../lib/schemas.ts";

/**
 * The targets of webhooks and their deliveries. One index serves the waiting deliveries of both kinds: first attempts
 * (due_at = 0), in the order of the log, and retries. Ids of targets are never reused: deliveries of a removed target must
 * not go to another one. `delivery.arrived` is 1 for a failed or cancelled delivery whose event arrived by a later one, so that
 * the index of undelivered events needs no entries of deliveries that succeed.
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
    `ALTER TABLE webhook_target ADD COLUMN failing_since INTEGER;
ALTER TABLE webhook_target ADD COLUMN recovery TEXT;
ALTER TABLE webhook_target ADD COLUMN missed TEXT;
ALTER TABLE delivery ADD COLUMN arrived INTEGER;
CREATE INDEX delivery_undelivered ON delivery (target, event)
  WHERE state IN ('failed', 'cancelled') AND arrived IS NULL;`,
  ],
};
