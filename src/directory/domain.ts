import { Server } from "partyserver";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { DOMAIN_MIGRATIONS, type HolderRow } from "./schema.ts";
import { READ_HOLDER, SAW_HOLDER, WRITE_HOLDER } from "./rows.ts";

/**
 * Stores which mailbox holds a domain. The object's name is the domain in canonical form. It is asked for each mail to the
 * domain; asking for a domain that nobody verified writes nothing.
 */
export class Domain extends Server<Env> {
  readonly #db: Database;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    if (hasSchema(this.#db)) migrate(this.#db, DOMAIN_MIGRATIONS);
  }

  /** The mailbox that holds the domain; null = none. */
  holder(): HolderRow | null {
    return hasSchema(this.#db) ? this.#db.first(READ_HOLDER) : null;
  }

  /**
   * Gives the domain to the mailbox with this locator, which has just seen the DNS records; false if another mailbox holds
   * it. A repeated call of the holder stores when the records were last seen.
   */
  take(locator: string, nowMs: number): boolean {
    const holder = this.holder();
    if (holder !== null && holder.locator !== locator) return false;
    migrate(this.#db, DOMAIN_MIGRATIONS);
    if (holder === null) this.#db.run(WRITE_HOLDER, locator, nowMs, nowMs);
    else this.#db.run(SAW_HOLDER, nowMs);
    return true;
  }

  /** Releases the domain if the mailbox with this locator holds it, and erases everything. */
  async release(locator: string): Promise<void> {
    if (this.holder()?.locator === locator) await this.ctx.storage.deleteAll();
  }
}
