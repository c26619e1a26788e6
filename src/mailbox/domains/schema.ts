import type { Schema } from "../../lib/schemas.ts";

/** Custom domains. A mailbox has few: all are read at once and kept in memory. */
export const DOMAINS: Schema = {
  name: "domains",
  steps: [
    `CREATE TABLE domain (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  selector TEXT NOT NULL,
  private_key TEXT NOT NULL,
  public_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  held INTEGER NOT NULL DEFAULT 0,
  verified_at INTEGER,
  seen_at INTEGER,
  gone_at INTEGER,
  checked_at INTEGER,
  due_at INTEGER,
  results TEXT NOT NULL DEFAULT '{}'
) WITHOUT ROWID;`,
  ],
};
