import type { Job } from "./job.ts";
import type { Capabilities } from "./capabilities.ts";

/** The names of the capabilities that are jobs. */
type Working = {
  [Name in keyof Capabilities]: Capabilities[Name] extends Job ? Name : never;
}[keyof Capabilities];

/** One job for each of these names. */
export type Listed = Readonly<Record<Working, Job>>;

/** Jobs that wait while the mailbox is paused. */
const HELD_WHILE_PAUSED = ["webhooks", "sendingJob"] as const;

/** All jobs of a mailbox. A capability that is a job and is missing here does not compile. */
export class Jobs {
  readonly #jobs: Listed;

  constructor(capabilities: Capabilities) {
    const { webhooks, sendingJob, embeddings, takeover, imports, domains } = capabilities;
    const { log, deliveryRetention, uploads, refusedMails, lifecycle, blobs } = capabilities;
    // In the order in which they are pumped: first the jobs that the alarm does not wait for; blobs after uploads
    // and refused mail, because they erase the files of what has expired.
    this.#jobs = {
      webhooks,
      sendingJob,
      embeddings,
      takeover,
      imports,
      domains,
      log,
      deliveryRetention,
      uploads,
      refusedMails,
      lifecycle,
      blobs,
    };
  }

  /** The times at which the alarm must ring, in ms since 1970; null = no work is due. */
  dues(nowMs: number): (number | null)[] {
    return this.#all.flatMap((job) => job.dues(nowMs));
  }

  /** Starts all work that is due. Waits for the jobs whose `pump` returns a promise. */
  async pump(nowMs: number): Promise<void> {
    for (const job of this.#all) await job.pump(nowMs);
  }

  /** Starts the work that waited while the mailbox was paused. */
  resume(nowMs: number): void {
    for (const name of HELD_WHILE_PAUSED) void this.#jobs[name].pump(nowMs);
  }

  /** Drops what the jobs cache, because a transaction was undone. */
  forget(): void {
    for (const job of this.#all) job.forget?.();
  }

  /** Aborts the work that is under way, because the mailbox ends. Nothing more is written. */
  close(): void {
    for (const job of this.#all) job.close?.();
  }

  get #all(): Job[] {
    return Object.values(this.#jobs);
  }
}
