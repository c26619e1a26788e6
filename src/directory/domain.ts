import { Server } from "partyserver";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { DOMAIN_MIGRATIONS, type HolderRow } from "./schema.ts";
import { READ_HOLDER, SAW_HOLDER, WRITE_HOLDER } from "./statements.ts";

/**
 * Who holds one domain. Named by the domain in its canonical form, and asked on the path of its mail. A domain that nobody
 * verified leaves no row by being asked for.
 */
export class Domain extends Server<Env> {
  readonly #db: Database;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    if (hasSchema(this.#db)) migrate(this.#db, DOMAIN_MIGRATIONS);
  }

  /** The mailbox that holds it; null = none. */
  holder(): HolderRow | null {
    return hasSchema(this.#db) ? this.#db.first(READ_HOLDER) : null;
  }

  /**
   * Gives the domain to the mailbox behind `locator`, which has just seen its records; false if another one holds it. Said
   * again by its holder it tells when they were last seen.
   */
  take(locator: string, nowMs: number): boolean {
    const holder = this.holder();
    if (holder !== null && holder.locator !== locator) return false;
    migrate(this.#db, DOMAIN_MIGRATIONS);
    if (holder === null) this.#db.run(WRITE_HOLDER, locator, nowMs, nowMs);
    else this.#db.run(SAW_HOLDER, nowMs);
    return true;
  }

  /** Frees the domain if the mailbox behind `locator` holds it, and leaves nothing behind. */
  async release(locator: string): Promise<void> {
    if (this.holder()?.locator === locator) await this.ctx.storage.deleteAll();
  }
}
