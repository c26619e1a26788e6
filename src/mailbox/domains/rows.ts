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

/** A domain that the mailbox asked for, and the key made for it. */
export type DomainRow = {
  /** Public id. */
  id: string;
  /** In A-labels, lower case. */
  name: string;
  status: DomainStatus;
  /** Where the public key stands: `<selector>._domainkey.<name>`. */
  selector: string;
  /** RSA, PKCS #8 as PEM. It never leaves the mailbox. */
  private_key: string;
  /** SubjectPublicKeyInfo in Base64. */
  public_key: string;
  created_at: number;
  /** Whether the domain's object may name this mailbox as its holder: then its records are looked up again and again. */
  held: 0 | 1;
  /** Since when it is verified; null = it is not. */
  verified_at: number | null;
  /** When the records that count were last seen right; null = never. */
  seen_at: number | null;
  /** When one of them was first seen gone after that; null = none is. */
  gone_at: number | null;
  /** When the resolver last told; null = never. */
  checked_at: number | null;
  /** When they are looked up again; null = when somebody asks. */
  due_at: number | null;
  /** JSON of RecordResults: what the last look-up came to. */
  results: string;
};

/** The part of a domain that changes. */
export type DomainState = Pick<
  DomainRow,
  "status" | "held" | "verified_at" | "seen_at" | "gone_at" | "checked_at" | "due_at" | "results"
>;
