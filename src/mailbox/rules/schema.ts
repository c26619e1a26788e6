import type { Schema } from "../../lib/schemas.ts";

/** Who may write to the mailbox. Entries are rows, so that a receipt reads only those that could name its sender. */
export const RULES: Schema = {
  name: "rules",
  steps: [
    `CREATE TABLE rule_setting (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  mode TEXT NOT NULL,
  entries INTEGER NOT NULL,
  changes TEXT NOT NULL
);
CREATE TABLE rule_entry (
  match TEXT NOT NULL,
  list TEXT NOT NULL,
  unverified INTEGER NOT NULL,
  PRIMARY KEY (match, list)
) WITHOUT ROWID;`,
  ],
};

/** Mail that the rules refused. A row whose mail was released stays until it expires, without its bytes. */
export const REFUSED: Schema = {
  name: "refused",
  steps: [
    `CREATE TABLE refused_mail (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL UNIQUE,
  reason TEXT NOT NULL,
  verified INTEGER NOT NULL,
  from_address TEXT NOT NULL,
  from_name TEXT NOT NULL,
  subject TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  released INTEGER,
  detail TEXT NOT NULL,
  raw_key TEXT,
  raw BLOB
);
CREATE INDEX refused_expiry ON refused_mail (expires_at);
CREATE TABLE refused_total (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  emails INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  dropped INTEGER NOT NULL
);`,
  ],
};
