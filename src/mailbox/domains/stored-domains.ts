import type { Tables } from "../../lib/schemas.ts";
import type { DkimPair } from "../../outbound/dkim-pair.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import type { DomainRow, DomainState } from "./rows.ts";
import { DOMAINS } from "./schema.ts";

/** The custom domains of one mailbox, cached because each outgoing message needs them. */
export class StoredDomains {
  readonly #tables: Tables;
  #rows: DomainRow[] | null = null;

  constructor(context: MailboxContext) {
    this.#tables = context.tables(DOMAINS);
  }

  /** All domains in the order in which they were added. */
  all(): readonly DomainRow[] {
    this.#rows ??= this.#tables.all(rows.LIST);
    return this.#rows;
  }

  withId(id: string): DomainRow | null {
    return this.all().find((row) => row.id === id) ?? null;
  }

  named(name: string): DomainRow | null {
    return this.all().find((row) => row.name === name) ?? null;
  }

  /** Drops the cache: a transaction that changed it was undone. */
  forget(): void {
    this.#rows = null;
  }

  add(domain: { id: string; name: string; selector: string; pair: DkimPair }, nowMs: number): void {
    const { id, name, selector, pair } = domain;
    this.#tables.run(rows.INSERT, id, name, "pending", selector, pair.privateKey, pair.publicKey, nowMs);
    this.forget();
  }

  /** Writes a change of a domain's state. */
  write(row: DomainRow, change: Partial<DomainState>): void {
    const state = { ...row, ...change };
    const { status, held, verified_at, seen_at, gone_at, checked_at, due_at, results } = state;
    this.#tables.run(
      rows.WRITE,
      ...([status, held, verified_at, seen_at, gone_at, checked_at, due_at, results, row.id] as const),
    );
    Object.assign(row, change);
  }

  erase(id: string): void {
    this.#tables.run(rows.ERASE, id);
    this.forget();
  }
}
