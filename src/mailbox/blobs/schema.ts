import type { Schema } from "../../lib/schemas.ts";

/** Blobs that may appear after their mailbox has ended. This table outlives the mailbox. */
export const LATE_BLOBS =
  "CREATE TABLE IF NOT EXISTS late_blob (key TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID;";

/** Blobs that are reserved for a message or planned for erasure. One that is being erased cannot be claimed. */
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

/** Blobs stored in rows: all of them if the deployment has no bucket; large texts always. */
export const CHUNKS: Schema = {
  name: "chunks",
  steps: [
    "CREATE TABLE blob_chunk (key TEXT NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (key, position));",
  ],
};
