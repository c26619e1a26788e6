import type { TotpAlgorithm } from "../../lib/totp.ts";
import type { Query } from "../../lib/sql.ts";

export type TotpRow = {
  id: string;
  label: string;
  algorithm: TotpAlgorithm;
  digits: number;
  period: number;
  /** The secret, encrypted. */
  sealed: ArrayBuffer;
  /** ms since 1970. */
  created_at: number;
};

/** A code that was handed out. */
export type UseRow = { totp: string; at: number; key_id: string | null };

const COLUMNS = "id, label, algorithm, digits, period, sealed, created_at";

export const INSERT: Query<
  never,
  [
    ...[id: string, label: string, algorithm: TotpAlgorithm, digits: number, period: number],
    ...[sealed: ArrayBuffer, createdAt: number],
  ]
> = {
  text: `INSERT OR IGNORE INTO totp (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
export const LIST: Query<TotpRow, []> = { text: `SELECT ${COLUMNS} FROM totp ORDER BY id` };
export const FIND: Query<TotpRow, [id: string]> = { text: `SELECT ${COLUMNS} FROM totp WHERE id = ?` };
export const COUNT: Query<{ count: number }, []> = { text: "SELECT count(*) AS count FROM totp" };
export const DELETE: Query<never, [id: string]> = { text: "DELETE FROM totp WHERE id = ?" };

export const RECORD_USE: Query<never, [id: string, at: number, keyId: string | null]> = {
  text: "INSERT INTO totp_use (totp, at, key_id) VALUES (?, ?, ?)",
};
export const FORGET_USES: Query<never, [kept: number]> = {
  text: "DELETE FROM totp_use WHERE number <= (SELECT max(number) FROM totp_use) - ?",
};
export const USES: Query<UseRow, [limit: number]> = {
  text: "SELECT totp, at, key_id FROM totp_use ORDER BY number DESC LIMIT ?",
};

export const WAS_MOVED: Query<{ address: string }, [address: string]> = {
  text: "SELECT address FROM totp_moved WHERE address = ?",
};
export const SET_MOVED: Query<never, [address: string]> = {
  text: "INSERT OR IGNORE INTO totp_moved (address) VALUES (?)",
};
