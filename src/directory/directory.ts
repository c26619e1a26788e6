import { Server } from "partyserver";
import type { DirectoryReport } from "../contract/directory.ts";
import { QUARANTINE_MS } from "../contract/limits.ts";
import { migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { DIRECTORY_MIGRATIONS, type EntryRow } from "./schema.ts";
import { END_QUARANTINES, FIND_QUARANTINE, LIST, QUARANTINE, REMOVE, REPORT } from "./statements.ts";

/** One shard of the operator's list of mailboxes. Mailboxes report themselves; no message and no read passes here. */
export class Directory extends Server<Env> {
  readonly #db: Database;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    migrate(this.#db, DIRECTORY_MIGRATIONS);
  }

  /** Keeps how a mailbox stands now. Said twice it is the same. */
  report(entry: DirectoryReport): void {
    if (entry.status === "closing") this.remove(entry.address);
    else this.#db.run(REPORT, entry.address, entry.kind, entry.status, entry.created_at, entry.expires_at);
  }

  /** Forgets a mailbox that is erased, but that its address was somebody's. */
  remove(address: string): void {
    const now = Date.now();
    this.#db.transaction(() => {
      this.#db.run(END_QUARANTINES, now);
      this.#db.run(QUARANTINE, now + QUARANTINE_MS, address);
      this.#db.run(REMOVE, address);
    });
  }

  /** Until when an erased address cannot be claimed, in ms since 1970; null if it can. */
  quarantinedUntil(address: string): number | null {
    return this.#db.first(FIND_QUARANTINE, address, Date.now())?.until ?? null;
  }

  /** Entries in the order of their addresses, from after `after`; expired ones whose alarm is late are not shown. */
  list(page: { after: string; status: "active" | "paused" | null; limit: number }): EntryRow[] {
    return this.#db.all(LIST, page.after, page.status, Date.now(), page.limit);
  }
}
