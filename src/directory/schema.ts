import type { Migration } from "../lib/migrate.ts";

/** One mailbox of the deployment, as it last reported itself. Times are ms since 1970. */
export type EntryRow = {
  address: string;
  kind: "permanent" | "temporary";
  status: "active" | "paused";
  created_at: number;
  /** null = never. */
  expires_at: number | null;
  webhooks_failed: 0 | 1;
  /** Of its newest message that was kept instead of sent; null = it has none. */
  kept_at: number | null;
};

export const DIRECTORY_MIGRATIONS: readonly Migration[] = [
  {
    id: "001-entries",
    sql: `CREATE TABLE entry (
      address TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER
    ) WITHOUT ROWID`,
  },
  {
    id: "002-ended-sessions",
    // Of the operator in a browser: signed out of before their time. Kept in the first shard alone.
    sql: "CREATE TABLE ended_session (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID",
  },
  {
    id: "003-attention",
    sql: `
ALTER TABLE entry ADD COLUMN webhooks_failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN kept_at INTEGER;
CREATE INDEX entry_kept ON entry (kept_at) WHERE kept_at IS NOT NULL;
`,
  },
];

export const BUDGET_MIGRATIONS: readonly Migration[] = [
  {
    id: "001-budget",
    sql: "CREATE TABLE budget (kind TEXT PRIMARY KEY, since INTEGER NOT NULL, spent INTEGER NOT NULL) WITHOUT ROWID",
  },
];

/** The mailbox that holds a domain; one row. Times are ms since 1970. */
export type HolderRow = {
  locator: string;
  since: number;
  /** When its records were last seen right. */
  seen_at: number;
};

export const DOMAIN_MIGRATIONS: readonly Migration[] = [
  {
    id: "001-holder",
    sql: `CREATE TABLE holder (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      locator TEXT NOT NULL,
      since INTEGER NOT NULL,
      seen_at INTEGER NOT NULL
    )`,
  },
];
