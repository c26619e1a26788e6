import { Server } from "partyserver";
import {
  positionOf,
  type DirectoryReport,
  type DirectorySearch,
  type Standing,
  type Tally,
} from "../contract/directory.ts";
import { locatorOf } from "../contract/key.ts";
import { QUARANTINE_MS } from "../contract/limits.ts";
import { migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { DIRECTORY_MIGRATIONS, type EntryRow } from "./schema.ts";
import * as statements from "./rows.ts";

/** One shard of the operator's list of mailboxes. Mailboxes report their own state; receiving and reading mail never asks it. */
export class Directory extends Server<Env> {
  readonly #db: Database;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    migrate(this.#db, DIRECTORY_MIGRATIONS);
  }

  /** Stores the state of a mailbox. A repeated report changes nothing. */
  report(entry: DirectoryReport): void {
    if (entry.status === "closing") this.remove(entry.address, entry.kind);
    else this.#keep(entry);
  }

  /**
   * Removes an erased mailbox and remembers that its address was used. A mailbox of an earlier release does not send its
   * kind; then the kind in its last report counts.
   */
  remove(address: string, kind = this.#db.first(statements.FIND_KIND, address)?.kind): void {
    const now = Date.now();
    this.#db.transaction(() => {
      this.#db.run(statements.END_QUARANTINES, now);
      if (kind === "permanent") this.#db.run(statements.QUARANTINE, address, now + QUARANTINE_MS);
      if (kind === "temporary") this.#db.run(statements.RETIRE, locatorBytes(address));
      this.#db.run(statements.REMOVE, address);
    });
  }

  /** Whether an address can be given out. A mailbox whose report is late is not listed yet. */
  standing(address: string): Standing {
    if (this.#db.first(statements.FIND_RETIRED, locatorBytes(address)) !== null) return { kind: "retired" };
    if (this.#db.first(statements.FIND_KIND, address) !== null) return { kind: "listed" };
    const until = this.#db.first(statements.FIND_QUARANTINE, address, Date.now())?.until;
    return until === undefined ? { kind: "free" } : { kind: "quarantined", until };
  }

  /** Entries by address, from the first after `after`. Expired mailboxes whose alarm is late are left out. */
  list(page: { after: string; status: "active" | "paused" | null; limit: number }): EntryRow[] {
    return this.#db.all(statements.LIST, page.after, page.status, Date.now(), page.limit);
  }

  /** The mailboxes that a search finds, in its order, with their total number. */
  find({ text, only, order, after, limit }: DirectorySearch): { entries: EntryRow[]; total: number } {
    const now = Date.now();
    const start = positionOf(after, order);
    const query = statements.findQuery(only, order);
    return {
      entries: this.#db.all(query, now, text, start.created_at, start.address, limit),
      total:
        text === "" && only === null
          ? this.tally(now).total
          : (this.#db.first(statements.countQuery(only), now, text)?.count ?? 0),
    };
  }

  /** The number of mailboxes, in all and by states that the operator should know of. */
  tally(nowMs = Date.now()): Tally {
    return this.#db.first(statements.TALLY, nowMs) ?? { total: 0, paused: 0, failing: 0, cannotSend: 0 };
  }

  /** Mailboxes with mail that was kept instead of sent (`OUTBOUND=local`), the newest mail first. */
  newestKept(limit: number): EntryRow[] {
    return this.#db.all(statements.NEWEST_KEPT, Date.now(), limit);
  }

  #keep(report: DirectoryReport): void {
    const { address, kind, status, created_at, expires_at, kept_at = null } = report;
    const attention = [
      Number(report.webhooks_failed === true),
      kept_at,
      Number(report.cannot_send === true),
    ] as const;
    this.#db.run(statements.REPORT, address, kind, status, created_at, expires_at, ...attention);
  }

  /** Stores that the operator signed out of a session that would have lasted until `expiresAt`, in ms since 1970. */
  endSession(id: string, expiresAt: number): void {
    this.#db.run(statements.FORGET_SESSIONS, Date.now());
    this.#db.run(statements.END_SESSION, id, expiresAt);
  }

  /** Whether the operator signed out of a session before it expired. */
  hasEnded(id: string): boolean {
    return this.#db.first(statements.FIND_ENDED_SESSION, id) !== null;
  }
}

function locatorBytes(address: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(locatorOf(address), "hex")).buffer;
}
