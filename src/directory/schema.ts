import type { Migration } from "../lib/migrate.ts";

/** One mailbox of the deployment, by its last report. Times are ms since 1970. */
export type EntryRow = {
  address: string;
  kind: "permanent" | "temporary";
  status: "active" | "paused";
  created_at: number;
  /** null = never. */
  expires_at: number | null;
  webhooks_failed: 0 | 1;
  /** When its newest message was kept instead of sent; null = there is none. */
  kept_at: number | null;
  /** 1 = the relay refused this mailbox's mail or could not be reached, and has taken no message since. */
  cannot_send: 0 | 1;
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
    id: "002-quarantine",
    sql: `CREATE TABLE quarantine (address TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
      CREATE INDEX quarantine_until ON quarantine (until)`,
  },
  {
    id: "003-ended-sessions",
    // Sessions of the operator's browser that ended before they expired. Only the first shard has them.
    sql: "CREATE TABLE ended_session (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID",
  },
  {
    id: "004-attention",
    sql: `
ALTER TABLE entry ADD COLUMN webhooks_failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN kept_at INTEGER;
CREATE INDEX entry_kept ON entry (kept_at) WHERE kept_at IS NOT NULL;
`,
  },
  {
    id: "005-cannot-send",
    sql: "ALTER TABLE entry ADD COLUMN cannot_send INTEGER NOT NULL DEFAULT 0",
  },
  {
    id: "006-retired",
    // Addresses of erased temporary mailboxes, kept for ever: the 16 bytes of the locator, not the address.
    sql: "CREATE TABLE retired (locator BLOB PRIMARY KEY) WITHOUT ROWID",
  },
  {
    id: "007-orders",
    // The console's list is sorted by creation too, and counts mailboxes by their state. All but the first hold few entries.
    sql: `
CREATE INDEX entry_created ON entry (created_at);
CREATE INDEX entry_expires ON entry (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entry_paused ON entry (address) WHERE status = 'paused';
CREATE INDEX entry_failing ON entry (address) WHERE webhooks_failed = 1;
CREATE INDEX entry_cannot_send ON entry (address) WHERE cannot_send = 1;
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
  /** When its DNS records were last seen to be right. */
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
