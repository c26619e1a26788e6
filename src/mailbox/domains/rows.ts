import type { DomainStatus } from "../../contract/domain.ts";
import type { Query } from "../../lib/sql.ts";

type Nullable<T> = T | null;

export const LIST: Query<DomainRow, []> = {
  text: `SELECT id, name, status, selector, private_key, public_key, created_at, held, verified_at, seen_at, gone_at,
    checked_at, due_at, results FROM domain ORDER BY id`,
};
export const INSERT: Query<
  never,
  [
    ...[id: string, name: string, status: string, selector: string],
    ...[privateKey: string, publicKey: string, createdAt: number],
  ]
> = {
  text: `INSERT INTO domain (id, name, status, selector, private_key, public_key, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
export const WRITE: Query<
  never,
  [
    ...[status: DomainStatus, held: number, verifiedAt: Nullable<number>, seenAt: Nullable<number>],
    ...[goneAt: Nullable<number>, checkedAt: Nullable<number>, dueAt: Nullable<number>, results: string],
    id: string,
  ]
> = {
  text: `UPDATE domain SET status = ?, held = ?, verified_at = ?, seen_at = ?, gone_at = ?, checked_at = ?, due_at = ?,
    results = ? WHERE id = ?`,
};
export const ERASE: Query<never, [id: string]> = { text: "DELETE FROM domain WHERE id = ?" };

/** A domain that the mailbox added, and its DKIM key. */
export type DomainRow = {
  /** Public id. */
  id: string;
  /** A-labels in lower case. */
  name: string;
  status: DomainStatus;
  /** Selector of the DKIM record `<selector>._domainkey.<name>`. */
  selector: string;
  /** RSA, PKCS #8 as PEM. It never leaves the mailbox. */
  private_key: string;
  /** SubjectPublicKeyInfo in Base64. */
  public_key: string;
  created_at: number;
  /** 1 if the domain's object may name this mailbox as its holder. Its records are then looked up periodically. */
  held: 0 | 1;
  /** When it was verified; null = it is not verified. */
  verified_at: number | null;
  /** When all required records were last found; null = never. */
  seen_at: number | null;
  /** When a required record was first found missing after that; null = none is missing. */
  gone_at: number | null;
  /** When the resolver last answered; null = never. */
  checked_at: number | null;
  /** When the records are looked up next; null = only on request. */
  due_at: number | null;
  /** JSON of RecordResults: the results of the last look-up. */
  results: string;
};

/** The part of a domain's row that changes. */
export type DomainState = Pick<
  DomainRow,
  "status" | "held" | "verified_at" | "seen_at" | "gone_at" | "checked_at" | "due_at" | "results"
>;
