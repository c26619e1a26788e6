import type { Job } from "./job.ts";
import type { Capabilities } from "./capabilities.ts";

/** The names of the capabilities that work by themselves. */
type Working = {
  [Name in keyof Capabilities]: Capabilities[Name] extends Job ? Name : never;
}[keyof Capabilities];

/** One job for each of these names. */
export type Listed = Readonly<Record<Working, Job>>;

/** Work that waits while the mailbox is paused. */
const HELD_WHILE_PAUSED = ["webhooks", "sendingJob"] as const;

/** Everything that a mailbox does by itself. A capability that works by itself and is missing here does not compile. */
export class Jobs {
  readonly #jobs: Listed;

  constructor(capabilities: Capabilities) {
    const { webhooks, sendingJob, embeddings, takeover, domains } = capabilities;
    const { log, deliveryRetention, uploads, lifecycle, blobs } = capabilities;
    // In the order in which they are pumped: first those that nobody waits for; blobs after uploads, whose files they erase.
    this.#jobs = {
      webhooks,
      sendingJob,
      embeddings,
      takeover,
      domains,
      log,
      deliveryRetention,
      uploads,
      lifecycle,
      blobs,
    };
  }

  /** When the alarm must ring, in ms since 1970; null entries are work without a date. */
  dues(nowMs: number): (number | null)[] {
    return this.#all.flatMap((job) => job.dues(nowMs));
  }

  /** Starts everything that is due. Waits for those jobs that end with the alarm. */
  async pump(nowMs: number): Promise<void> {
    for (const job of this.#all) await job.pump(nowMs);
  }

  /** Starts work that waited while the mailbox was paused. */
  resume(nowMs: number): void {
    for (const name of HELD_WHILE_PAUSED) void this.#jobs[name].pump(nowMs);
  }

  /** Reads again what jobs keep in memory: a transaction was undone. */
  forget(): void {
    for (const job of this.#all) job.forget?.();
  }

  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close(): void {
    for (const job of this.#all) job.close?.();
  }

  get #all(): Job[] {
    return Object.values(this.#jobs);
  }
}
