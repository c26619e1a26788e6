import type { DomainStatus } from "../contract/domain.ts";
import type { Database, Query } from "../lib/sql.ts";
import type { DkimPair } from "../outbound/dkim-pair.ts";
import type { DomainRow } from "./schema.ts";

type Nullable<T> = T | null;

const LIST: Query<DomainRow, []> = {
  text: `SELECT id, name, status, selector, private_key, public_key, created_at, held, verified_at, seen_at, gone_at,
    checked_at, due_at, results FROM domain ORDER BY id`,
};
const INSERT: Query<
  never,
  [
    ...[id: string, name: string, status: string, selector: string],
    ...[privateKey: string, publicKey: string, createdAt: number],
  ]
> = {
  text: `INSERT INTO domain (id, name, status, selector, private_key, public_key, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};
const WRITE: Query<
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
const ERASE: Query<never, [id: string]> = { text: "DELETE FROM domain WHERE id = ?" };

/** How a domain stands: what of its row changes. */
export type DomainState = Pick<
  DomainRow,
  "status" | "held" | "verified_at" | "seen_at" | "gone_at" | "checked_at" | "due_at" | "results"
>;

/** The domains of one mailbox. Kept in memory: each message that goes out asks for them. */
export class DomainRows {
  readonly #db: Database;
  #rows: DomainRow[] | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** In the order in which they were added. */
  all(): readonly DomainRow[] {
    this.#rows ??= this.#db.all(LIST);
    return this.#rows;
  }

  withId(id: string): DomainRow | null {
    return this.all().find((row) => row.id === id) ?? null;
  }

  named(name: string): DomainRow | null {
    return this.all().find((row) => row.name === name) ?? null;
  }

  /** Reads them again when next asked: a change that they took part in was undone. */
  forget(): void {
    this.#rows = null;
  }

  add(domain: { id: string; name: string; selector: string; pair: DkimPair }, nowMs: number): void {
    const { id, name, selector, pair } = domain;
    this.#db.run(INSERT, id, name, "pending", selector, pair.privateKey, pair.publicKey, nowMs);
    this.forget();
  }

  /** Writes how a domain stands from now on. */
  write(row: DomainRow, change: Partial<DomainState>): void {
    const state = { ...row, ...change };
    const { status, held, verified_at, seen_at, gone_at, checked_at, due_at, results } = state;
    this.#db.run(
      WRITE,
      ...([status, held, verified_at, seen_at, gone_at, checked_at, due_at, results, row.id] as const),
    );
    Object.assign(row, change);
  }

  erase(id: string): void {
    this.#db.run(ERASE, id);
    this.forget();
  }
}
