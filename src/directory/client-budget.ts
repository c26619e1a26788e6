import { Server } from "partyserver";
import { spendOne, UNSPENT, type Allowance, type Budget } from "../lib/budget.ts";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { Database } from "../lib/sql.ts";
import { BUDGET_MIGRATIONS } from "./schema.ts";
import { READ_BUDGET, WRITE_BUDGET } from "./rows.ts";

/** Counts one client address's requests without a key or with a wrong one. The object's name is the address (IPv6: its /64). */
export class ClientBudget extends Server<Env> {
  readonly #db: Database;
  /** Wrong keys are counted in memory, because a flood of them must not cause writes. */
  #strikes = UNSPENT;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
  }

  /** Uses one of the budget `kind`, on disk, so that a restart does not reset it. */
  async spend(kind: string, budget: Budget): Promise<Allowance> {
    const now = Date.now();
    migrate(this.#db, BUDGET_MIGRATIONS);
    const kept = this.#db.first(READ_BUDGET, kind);
    const { used, allowance } = spendOne(kept ?? { since: now, spent: 0 }, budget, now);
    if (allowance.allowed) {
      this.#db.run(WRITE_BUDGET, kind, used.since, used.spent);
      // Never earlier than before: the alarm resets every budget, so a short window would end a long one.
      const armed = await this.ctx.storage.getAlarm();
      await this.ctx.storage.setAlarm(Math.max(armed ?? 0, now + budget.windowMs));
    }
    return allowance;
  }

  /** Returns one to the budget `kind`, for a use that turned out not to count. */
  refund(kind: string): void {
    const kept = hasSchema(this.#db) ? this.#db.first(READ_BUDGET, kind) : null;
    if (kept !== null) this.#db.run(WRITE_BUDGET, kind, kept.since, Math.max(0, kept.spent - 1));
  }

  /** Counts a wrong key. */
  strike(budget: Budget): Allowance {
    const { used, allowance } = spendOne(this.#strikes, budget, Date.now());
    this.#strikes = used;
    return allowance;
  }

  /** Erases everything after the longest window, so that a quiet address leaves nothing behind. */
  override async onAlarm(): Promise<void> {
    if (!hasSchema(this.#db)) return;
    await this.ctx.storage.deleteAll();
  }
}
