import type { Schema } from "../../lib/schemas.ts";

/**
 * Imports and their progress; the messages that imports stored, by the digest of their bytes, so that a repeated import makes
 * no second copy; and the threads of archives, so that messages whose references are lost stay together.
 */
export const IMPORTS: Schema = {
  name: "imports",
  steps: [
    `CREATE TABLE import (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  format TEXT NOT NULL,
  labels TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  status TEXT NOT NULL,
  cursor INTEGER NOT NULL DEFAULT 0,
  imported INTEGER NOT NULL DEFAULT 0,
  duplicates INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL
);
CREATE INDEX import_due ON import (due_at);
CREATE TABLE imported_mail (digest TEXT PRIMARY KEY, seq INTEGER NOT NULL UNIQUE) WITHOUT ROWID;
CREATE TABLE import_thread (name TEXT PRIMARY KEY, thread INTEGER NOT NULL) WITHOUT ROWID;`,
    `ALTER TABLE import ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE import ADD COLUMN room_bytes INTEGER NOT NULL DEFAULT 0;`,
  ],
};
