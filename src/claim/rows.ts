import type { Query } from "../lib/sql.ts";
import type { ClaimRow } from "./schema.ts";

export const INSERT_CLAIM: Query<
  never,
  [
    ...[sessionDigest: string, secretHash: string, address: string, client: string | null, userAgent: string],
    ...[keepFrom: string | null, keepSecretHash: string | null, createdAt: number, expiresAt: number],
  ]
> = {
  text: `INSERT INTO claim (id, session_digest, secret_hash, address, client, user_agent, keep_from, keep_secret_hash,
    created_at, expires_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};
export const READ_CLAIM: Query<ClaimRow, []> = {
  text: `SELECT session_digest, secret_hash, address, client, user_agent, keep_from, keep_secret_hash, created_at,
    expires_at, status, decided_at, read_at, wrong_codes FROM claim`,
};
export const DECIDE_CLAIM: Query<never, [status: string, decidedAt: number]> = {
  text: "UPDATE claim SET status = ?, decided_at = ?",
};
export const READ_CLAIM_KEY: Query<never, [readAt: number]> = {
  text: "UPDATE claim SET read_at = ? WHERE read_at IS NULL",
};
export const COUNT_WRONG_CODE: Query<never, []> = {
  text: "UPDATE claim SET wrong_codes = wrong_codes + 1",
};
