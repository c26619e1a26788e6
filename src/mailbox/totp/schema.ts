import type { Schema } from "../../lib/schemas.ts";

/**
 * Secrets of second factors, each encrypted (`sealBytes`), and the codes that were handed out. `totp_moved` names the temporary
 * mailboxes whose secrets this one took over, so that they are taken once.
 */
export const TOTP: Schema = {
  name: "totp",
  steps: [
    `CREATE TABLE totp (
  id TEXT PRIMARY KEY,
  label TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  digits INTEGER NOT NULL,
  period INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE totp_use (
  number INTEGER PRIMARY KEY,
  totp TEXT NOT NULL,
  at INTEGER NOT NULL,
  key_id TEXT
);
CREATE TABLE totp_moved (address TEXT PRIMARY KEY) WITHOUT ROWID;`,
  ],
};
