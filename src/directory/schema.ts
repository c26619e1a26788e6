import type { Migration } from "../lib/migrate.ts";

/** One mailbox of the deployment, as it last reported itself. Times are ms since 1970. */
export type EntryRow = {
  address: string;
  kind: "permanent" | "temporary";
  status: "active" | "paused";
  created_at: number;
  /** null = never. */
  expires_at: number | null;
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
];

export const BUDGET_MIGRATIONS: readonly Migration[] = [
  {
    id: "001-budget",
    sql: "CREATE TABLE budget (kind TEXT PRIMARY KEY, since INTEGER NOT NULL, spent INTEGER NOT NULL) WITHOUT ROWID",
  },
];
