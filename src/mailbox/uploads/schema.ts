import type { Schema } from "../../lib/schemas.ts";

/** Files that were uploaded, and the messages that use them. */
export const UPLOADS: Schema = {
  name: "uploads",
  steps: [
    `CREATE TABLE upload (
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
CREATE INDEX upload_use_upload ON upload_use (upload);`,
  ],
};
