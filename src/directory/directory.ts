import { Server } from "partyserver";
import type { DirectoryReport } from "../contract/directory.ts";
import { migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { DIRECTORY_MIGRATIONS, type EntryRow } from "./schema.ts";
import { END_SESSION, FIND_ENDED_SESSION, FORGET_SESSIONS, LIST, REMOVE, REPORT } from "./statements.ts";

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

  /** Forgets a mailbox that is erased. */
  remove(address: string): void {
    this.#db.run(REMOVE, address);
  }

  /** Entries in the order of their addresses, from after `after`; expired ones whose alarm is late are not shown. */
  list(page: { after: string; status: "active" | "paused" | null; limit: number }): EntryRow[] {
    return this.#db.all(LIST, page.after, page.status, Date.now(), page.limit);
  }

  /** The operator signed out of a session that would have run until `expiresAt`. */
  endSession(id: string, expiresAt: number): void {
    this.#db.run(FORGET_SESSIONS, Date.now());
    this.#db.run(END_SESSION, id, expiresAt);
  }

  /** Whether the operator signed out of a session whose time is not up. */
  hasEnded(id: string): boolean {
    return this.#db.first(FIND_ENDED_SESSION, id) !== null;
  }
}
