import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import type { Log } from "../log/log.ts";
import type { Deliveries } from "./deliveries.ts";

/** Erases deliveries and their attempts when they are older than the retention of the log. */
export class DeliveryRetention implements Job {
  readonly #context: MailboxContext;
  readonly #deliveries: Deliveries;
  readonly #log: Log;

  constructor(context: MailboxContext, others: { deliveries: Deliveries; log: Log }) {
    this.#context = context;
    this.#deliveries = others.deliveries;
    this.#log = others.log;
  }

  dues(): (number | null)[] {
    const oldestAt = this.#deliveries.oldestAt();
    return [oldestAt === null ? null : this.#log.erasedBy(oldestAt)];
  }

  /** Erases one batch of old deliveries; the rest stays due. */
  pump(nowMs: number): void {
    const [due = null] = this.dues();
    if (due === null || due > nowMs) return;
    this.#context.write(() => this.#deliveries.erase(nowMs - this.#log.retentionMs));
  }
}
