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
