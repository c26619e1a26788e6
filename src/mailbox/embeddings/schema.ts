import type { Schema } from "../../lib/schemas.ts";

/** Vectors of messages, one signed byte a dimension, and the progress of embedding. */
export const EMBEDDINGS: Schema = {
  name: "embeddings",
  steps: [
    `CREATE TABLE embedding (seq INTEGER PRIMARY KEY, generation INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE embedding_state (
  model TEXT NOT NULL,
  generation INTEGER NOT NULL,
  dimensions INTEGER NOT NULL,
  low INTEGER NOT NULL,
  high INTEGER NOT NULL,
  embedded INTEGER NOT NULL,
  failed INTEGER NOT NULL
);`,
    // An earlier release that started over had the messages up to "low" still to do.
    `ALTER TABLE embedding_state ADD COLUMN renew INTEGER NOT NULL DEFAULT 0;
UPDATE embedding_state SET renew = low;`,
  ],
};
