import type {
  ExpectationStatus,
  ExpectedKind,
  Rejection,
  RejectionDetail,
} from "../../contract/expectation.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";

/** A mail that was not released, as it is stored. */
export interface StoredRejection {
  seq: Seq;
  reason: Rejection;
  detail?: RejectionDetail;
  link_host?: string;
  redirector?: boolean;
}

export type ExpectationRow = {
  number: number;
  id: string;
  from_domain: string;
  /** JSON array of domains. */
  siblings: string;
  kind: ExpectedKind;
  strict: 0 | 1;
  /** The tagged address of an exclusive expectation. */
  address: string | null;
  /** ms since 1970. */
  created_at: number;
  expires_at: number;
  status: ExpectationStatus;
  /** The mail that matched. */
  seq: Seq | null;
  /** Its code and its link; null again once it is no longer answered. */
  code: string | null;
  link: string | null;
  sender_verified: 0 | 1;
  /** When code and link were first answered, in ms since 1970. */
  released_at: number | null;
  /** JSON array of `StoredRejection`. */
  rejected: string;
};

const COLUMNS = `number, id, from_domain, siblings, kind, strict, address, created_at, expires_at, status, seq, code, link,
  sender_verified, released_at, rejected`;

export const INSERT: Query<
  never,
  [
    ...[id: string, fromDomain: string, siblings: string, kind: ExpectedKind, strict: 0 | 1],
    ...[address: string | null, createdAt: number, expiresAt: number, rejected: string],
  ]
> = {
  text: `INSERT INTO expectation (id, from_domain, siblings, kind, strict, address, created_at, expires_at, rejected, status)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting')`,
};
export const FIND: Query<ExpectationRow, [id: string]> = {
  text: `SELECT ${COLUMNS} FROM expectation WHERE id = ?`,
};
/** Those that mail is compared with, newest first. Before it, `EXPIRE` must run. */
export const OPEN: Query<ExpectationRow, [nowMs: number]> = {
  text: `SELECT ${COLUMNS} FROM expectation
    WHERE status = 'waiting' OR (status = 'matched' AND expires_at > ?) ORDER BY number DESC`,
};
/** The owner of a tagged address, whatever its status. */
export const TAGGED: Query<ExpectationRow, [addresses: string]> = {
  text: `SELECT ${COLUMNS} FROM expectation WHERE address IN (SELECT value FROM json_each(?)) ORDER BY number DESC`,
};
export const COUNT_WAITING: Query<{ count: number }, []> = {
  text: "SELECT count(*) AS count FROM expectation WHERE status = 'waiting'",
};
/** Marks expectations as expired, so that a clock that jumps back does not open them again. */
export const EXPIRE: Query<never, [nowMs: number]> = {
  text: "UPDATE expectation SET status = 'expired' WHERE status = 'waiting' AND expires_at <= ?",
};
export const MATCH: Query<
  never,
  [seq: Seq, code: string | null, link: string | null, verified: 0 | 1, number: number]
> = {
  text: "UPDATE expectation SET status = 'matched', seq = ?, code = ?, link = ?, sender_verified = ? WHERE number = ?",
};
export const SET_REJECTED: Query<never, [rejected: string, number: number]> = {
  text: "UPDATE expectation SET rejected = ? WHERE number = ?",
};
export const SET_RELEASED: Query<never, [releasedAt: number, number: number]> = {
  text: "UPDATE expectation SET released_at = ? WHERE number = ? AND released_at IS NULL",
};
/** Erases what is no longer answered. */
export const FORGET: Query<never, [number: number]> = {
  text: "UPDATE expectation SET code = NULL, link = NULL WHERE number = ?",
};
export const CANCEL: Query<never, [number: number]> = {
  text: "UPDATE expectation SET status = 'cancelled' WHERE number = ? AND status = 'waiting'",
};
/** Parameters: expired before this time, and how many of the newest are kept. */
export const SWEEP: Query<never, [before: number, kept: number]> = {
  text: `DELETE FROM expectation WHERE status != 'waiting'
    AND (expires_at < ? OR number <= (SELECT max(number) FROM expectation) - ?)`,
};

/** Of the newest mails after a seq, so many at most, those with a code or link, newest first. */
export const RECENT_CODES: Query<
  { seq: Seq; code: string | null; link: string | null; listing: string },
  [after: Seq, limit: number]
> = {
  text: `SELECT seq, code, link, listing FROM (
      SELECT seq, code, link, listing, direction FROM message WHERE seq > ? ORDER BY seq DESC LIMIT ?
    ) WHERE direction = 'inbound' AND (code IS NOT NULL OR link IS NOT NULL)`,
};
