import type { Migration } from "../lib/migrate.ts";

/**
 * The one row of a claim. `approved`: a person approved it, and the mailbox is being created. `taken`: another claim got
 * the name first. Times are ms since 1970.
 */
export type ClaimRow = {
  /** Digest of the session id, which redeems the key. */
  session_digest: string;
  /** Digest of the future key's secret, which the mailbox will keep. */
  secret_hash: string;
  address: string;
  /** Network address of the client that asked; null = unknown. */
  client: string | null;
  user_agent: string;
  /** The temporary mailbox whose mail is copied, and the digest of its key's secret; null = none. */
  keep_from: string | null;
  keep_secret_hash: string | null;
  created_at: number;
  expires_at: number;
  status: "pending" | "approved" | "complete" | "denied" | "taken";
  /** null = not yet. */
  decided_at: number | null;
  /** When the key was first read; null = not yet. */
  read_at: number | null;
  wrong_codes: number;
};

export const CLAIM_MIGRATIONS: readonly Migration[] = [
  {
    id: "001-claim",
    sql: `CREATE TABLE claim (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      session_digest TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      address TEXT NOT NULL,
      client TEXT,
      user_agent TEXT NOT NULL,
      keep_from TEXT,
      keep_secret_hash TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      status TEXT NOT NULL DEFAULT 'pending',
      decided_at INTEGER,
      read_at INTEGER,
      wrong_codes INTEGER NOT NULL DEFAULT 0
    )`,
  },
];
