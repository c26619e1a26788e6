import type { Schema } from "../../lib/schemas.ts";

/**
 * The expectations of the mailbox. `number` orders them by age. `siblings` is a JSON array of domains and `rejected` one of
 * `StoredRejection`. `address` is the tagged address of an exclusive expectation, and null for another.
 */
export const EXPECTATIONS: Schema = {
  name: "expectations",
  steps: [
    `CREATE TABLE expectation (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  from_domain TEXT NOT NULL,
  siblings TEXT NOT NULL,
  kind TEXT NOT NULL,
  strict INTEGER NOT NULL,
  address TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  seq INTEGER,
  code TEXT,
  link TEXT,
  sender_verified INTEGER NOT NULL DEFAULT 0,
  released_at INTEGER,
  rejected TEXT NOT NULL
);`,
  ],
};
