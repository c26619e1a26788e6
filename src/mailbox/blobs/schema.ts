import type { Schema } from "../../lib/schemas.ts";

/** Blobs that may be written after their mailbox has ended. They are kept where nothing else is left of it. */
export const LATE_BLOBS =
  "CREATE TABLE IF NOT EXISTS late_blob (key TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;";

/** Blobs that are reserved for a message, or are to be erased. One that is being erased is nobody's any more. */
export const BLOBS: Schema = {
  name: "blobs",
  steps: [
    `CREATE TABLE blob_to_erase (
  key TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL,
  erasing INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
${LATE_BLOBS}`,
  ],
};

/** Blobs that lie in rows: all of them where the deployment has no bucket, and large texts everywhere. */
export const CHUNKS: Schema = {
  name: "chunks",
  steps: [
    "CREATE TABLE blob_chunk (key TEXT NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (key, position));",
  ],
};
