import type { Tables } from "../../lib/schemas.ts";
import type { DkimPair } from "../../outbound/dkim-pair.ts";
import type { MailboxContext } from "../context.ts";
import * as rows from "./rows.ts";
import type { DomainRow, DomainState } from "./rows.ts";
import { DOMAINS } from "./schema.ts";

/** The custom domains of one mailbox, cached because each outgoing message needs them. */
export class StoredDomains {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  #rows: DomainRow[] | null = null;

  constructor(context: MailboxContext) {
    this.#context = context;
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

  /** Drops the cache, because a transaction that changed it was undone. */
  forget(): void {
    this.#rows = null;
  }

  add(domain: { id: string; name: string; selector: string; pair: DkimPair }, nowMs: number): void {
    const { id, name, selector, pair } = domain;
    this.#tables.run(rows.INSERT, id, name, "pending", selector, pair.privateKey, pair.publicKey, nowMs);
    this.forget();
  }

  /** The earliest due time later than `afterMs`, in ms since 1970; null if there is none. */
  nextDue(afterMs: number): number | null {
    const dues = this.all().flatMap(({ due_at }) => (due_at !== null && due_at > afterMs ? [due_at] : []));
    return dues.length === 0 ? null : Math.min(...dues);
  }

  /** Stores the new state of a domain, in a transaction of its own, and sets the alarm to its due time. */
  save(row: DomainRow, change: Partial<DomainState>): void {
    const { commit, clock } = this.#context;
    const state = { ...row, ...change };
    const { status, held, verified_at, seen_at, gone_at, checked_at, due_at, results } = state;
    commit(() =>
      this.#tables.run(
        rows.WRITE,
        ...([status, held, verified_at, seen_at, gone_at, checked_at, due_at, results, row.id] as const),
      ),
    );
    Object.assign(row, change);
    if (change.due_at != null) clock.atLatest(change.due_at);
  }

  erase(id: string): void {
    this.#tables.run(rows.ERASE, id);
    this.forget();
  }
}
