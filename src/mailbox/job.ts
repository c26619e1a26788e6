import type { MailboxContext } from "./context.ts";

/** Work that a mailbox does by itself, beside whoever asks it something. */
export interface Job {
  /** When the alarm must ring for it, in ms since 1970; null entries are work without a date. */
  dues(nowMs: number): (number | null)[];
  /** Starts what is due. Work that takes long goes on after it returns; the alarm waits for a promise. */
  pump(nowMs: number): void | Promise<void>;
  /** Reads again what it keeps in memory: a transaction that it took part in was undone. */
  forget(): void;
  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close(): void;
}

/** Rows that wait for an attempt, as a drain sees them. */
export interface DrainPorts<Work> {
  /** When something that waits is due, later than `afterMs`, in ms since 1970; null if nothing waits. */
  nextDue(afterMs: number): number | null;
  /**
   * Chooses an attempt that may begin now, and writes it down with a lease: should the process die in the middle of it, it is due
   * again when the lease is over. Called until it answers null.
   *
   * @param underWay attempts that have begun and not ended.
   */
  claim(nowMs: number, underWay: readonly Work[]): Work | null;
  /** Makes the attempt and writes down its outcome, unless `signal` says that the mailbox ended. */
  attempt(work: Work, signal: AbortSignal): Promise<void>;
}

/** How a drain works. */
export interface DrainOptions {
  /** What it drains, for the log: "Webhooks". */
  name: string;
  /** Attempts under way at once. */
  maxAtOnce: number;
  /** Nothing begins while the mailbox is paused. */
  isHeldWhilePaused: boolean;
  /**
   * While an attempt is under way the alarm rings as often: should the process die, the next one sees to what it left. Null where
   * the lease alone does that.
   */
  heartbeatMs: number | null;
  /** How long nothing begins after so many faults of our own in a row: an alarm that rings at once would fail again at once. */
  pauseMs: (faults: number) => number;
}

/**
 * Drains rows that are due: each attempt is written down with a lease before it is made, and nobody waits for it. A death in the
 * middle leaves the lease; a fault of our own pauses the drain; and it begins nothing in a mailbox that is paused or has ended.
 */
export class Drain<Work> implements Job {
  readonly #context: Pick<MailboxContext, "account" | "clock" | "now">;
  readonly #ports: DrainPorts<Work>;
  readonly #options: DrainOptions;
  readonly #underWay = new Map<Work, AbortController>();
  /** Everything that was due by then has begun, or waits for the end of an attempt. */
  #pumpedAt = 0;
  #pausedUntil = 0;
  #faults = 0;
  #isClosed = false;

  constructor(
    context: Pick<MailboxContext, "account" | "clock" | "now">,
    ports: DrainPorts<Work>,
    options: DrainOptions,
  ) {
    this.#context = context;
    this.#ports = ports;
    this.#options = options;
  }

  /** Attempts that have begun and not ended. */
  get underWay(): Work[] {
    return [...this.#underWay.keys()];
  }

  /** Attempts in a row that ended in a fault of our own. */
  get faults(): number {
    return this.#faults;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Work that is due already and waits for the end of an attempt needs no alarm, and one would ring without end. */
  dues(nowMs: number): number[] {
    if (!this.mayWork(nowMs)) return [];
    const isBusy = this.#underWay.size > 0;
    const { heartbeatMs } = this.#options;
    const next = this.#ports.nextDue(isBusy ? Math.min(this.#pumpedAt, nowMs) : -1);
    const due = isBusy && heartbeatMs !== null ? Math.min(next ?? Infinity, nowMs + heartbeatMs) : next;
    return due === null ? [] : [Math.max(due, this.#pausedUntil)];
  }

  /** Never throws. */
  pump(nowMs: number): void {
    if (nowMs < this.#pausedUntil || !this.mayWork(nowMs)) return;
    this.#pumpedAt = nowMs;
    try {
      while (this.#underWay.size < this.#options.maxAtOnce) {
        const work = this.#ports.claim(nowMs, this.underWay);
        if (work === null) return;
        void this.#attempt(work);
      }
    } catch (error) {
      this.#fault(error);
    }
  }

  forget(): void {}

  close(): void {
    this.#isClosed = true;
    for (const controller of this.#underWay.values()) controller.abort();
  }

  /** Whether attempts may begin. */
  mayWork(nowMs: number): boolean {
    const account = this.#context.account();
    if (this.#isClosed || account === null || !account.isLive(nowMs)) return false;
    return account.row.status === "active" || !this.#options.isHeldWhilePaused;
  }

  /** Never rejects. */
  async #attempt(work: Work): Promise<void> {
    const controller = new AbortController();
    this.#underWay.set(work, controller);
    const { heartbeatMs } = this.#options;
    if (heartbeatMs !== null) this.#context.clock.atLatest(this.#context.now() + heartbeatMs);
    try {
      await this.#ports.attempt(work, controller.signal);
      this.#faults = 0;
    } catch (error) {
      if (!this.#isClosed) this.#fault(error);
    } finally {
      this.#underWay.delete(work);
      this.pump(this.#context.now());
    }
  }

  #fault(error: unknown): void {
    console.error(`${this.#options.name}: a fault, after which it goes on later:`, error);
    this.#pausedUntil = this.#context.now() + this.#options.pauseMs(this.#faults);
    this.#faults += 1;
    this.#context.clock.atLatest(this.#pausedUntil);
  }
}
