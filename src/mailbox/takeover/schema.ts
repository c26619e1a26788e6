import type { Schema } from "../../lib/schemas.ts";

/** The temporary mailbox whose mail is copied into this one; one row. */
export const TAKEOVER: Schema = {
  name: "takeover",
  steps: [
    `CREATE TABLE take_over (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  address TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER,
  problem TEXT
);`,
  ],
};
