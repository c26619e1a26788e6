import { isDraining } from "../lib/draining.ts";
import type { Account } from "./account/account.ts";
import type { MailboxContext } from "./context.ts";

/** Background work of a mailbox, which the alarm starts. */
export interface Job {
  /** The times at which the alarm must ring for this job, in ms since 1970; null = no work is due. */
  dues(nowMs: number): (number | null)[];
  /** Starts the work that is due. Long work continues after this returns; if it returns a promise, the alarm waits for that. */
  pump(nowMs: number): void | Promise<void>;
  /** Drops what the job caches, because a transaction that changed it was undone. */
  forget?(): void;
  /** Aborts the work that is under way, because the mailbox ends. Nothing more is written. */
  close?(): void;
}

/** While the server stops, due work is put off by this time, in ms, so that the next start does it. */
const STOPPING_PAUSE_MS = 5_000;

type DrainContext = Pick<MailboxContext, "account" | "attempts" | "clock" | "now" | "noteActivity">;

/** The rows that a drain works on, and the rules of its job. */
export interface DrainPorts<Work> {
  /** Whether all work waits although the mailbox is live, for example because it is paused. */
  isHeld?(account: Account): boolean;
  /** The earliest due time later than `afterMs`, in ms since 1970; null if there is none. */
  nextDue(afterMs: number): number | null;
  /** Before this time `claim` yields nothing, in ms since 1970. */
  notBefore?(): number;
  /**
   * Yields attempts that may begin now. Each is stored with a lease before it is yielded: if the process dies during the
   * attempt, the row is due again when the lease ends. The drain starts an attempt as soon as it is yielded, and reads no
   * further when it is full.
   *
   * @param underWay attempts that have begun and not ended.
   */
  claim(nowMs: number, underWay: readonly Work[]): Iterable<Work>;
  /** Extends the lease of an attempt that is still under way, if the lease is over. Called at each pump. */
  renew?(work: Work, nowMs: number): void;
  /** Makes the attempt and stores its result. Writes nothing once `signal` is aborted, because the mailbox has ended. */
  attempt(work: Work, signal: AbortSignal): Promise<void>;
}

/** The name and the limits of a drain. */
export interface DrainOptions {
  /** The name of the work in the log of errors, such as "Webhooks". */
  name: string;
  /** The most attempts that are under way at once. */
  maxAtOnce: number;
  /**
   * How often the alarm rings while an attempt is under way, in ms, so that work soon continues after a death; null = the
   * leases suffice.
   */
  heartbeatMs: number | null;
  /**
   * The pause after an error that follows `faults` errors in a row, in ms. Without it, the alarm would ring and fail in a
   * loop.
   */
  pauseMs: (faults: number) => number;
}

/**
 * Makes attempts for rows that are due. Each attempt is stored with a lease before it begins, and nobody waits for its end.
 * If the process dies, the row is due again when the lease ends. If an attempt or a claim throws, the drain pauses. No
 * attempt begins once the mailbox has ended, or while its work is held.
 */
export class Drain<Work> {
  readonly #context: DrainContext;
  readonly #ports: DrainPorts<Work>;
  readonly #options: DrainOptions;
  readonly #underWay = new Map<Work, AbortController>();
  /** The last pump, in ms since 1970; -1 after an error. Rows due by then have begun, or wait until another attempt ends. */
  #pumpedAt = -1;
  #pausedUntil = 0;
  #faults = 0;
  #isClosed = false;

  constructor(context: DrainContext, ports: DrainPorts<Work>, options: DrainOptions) {
    this.#context = context;
    this.#ports = ports;
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Errors since the last attempt that did not throw. */
  get faults(): number {
    return this.#faults;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether no attempt begins now because of an earlier error. */
  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntil;
  }

  /** Whether the mailbox is live and its work is not held. */
  mayWork(nowMs: number): boolean {
    const account = this.#context.account();
    if (this.#isClosed || account?.isLive(nowMs) !== true) return false;
    return this.#ports.isHeld?.(account) !== true;
  }

  /**
   * The times at which the alarm must ring. A row that is already due and waits for another attempt to end is left out,
   * because the alarm would ring in a loop.
   */
  dues(nowMs: number): number[] {
    if (!this.mayWork(nowMs)) return [];
    const { heartbeatMs } = this.#options;
    const next = this.#ports.nextDue(this.isBusy ? Math.min(this.#pumpedAt, nowMs) : -1);
    const notBefore = Math.max(this.#pausedUntil, this.#ports.notBefore?.() ?? 0);
    return [
      ...(next === null ? [] : [Math.max(next, notBefore)]),
      ...(this.isBusy && heartbeatMs !== null ? [nowMs + heartbeatMs] : []),
    ];
  }

  /** Starts the attempts that are due. Never throws, and returns before any of them has ended. */
  pump(nowMs: number): void {
    try {
      if (!this.mayWork(nowMs)) return;
      const underWay = [...this.#underWay.keys()];
      for (const work of underWay) this.#ports.renew?.(work, nowMs);
      if (isDraining()) this.#pausedUntil = nowMs + STOPPING_PAUSE_MS;
      if (this.isPaused(nowMs)) return;
      if (!this.#isFull) this.#begin(this.#ports.claim(nowMs, underWay));
      this.#pumpedAt = nowMs;
    } catch (error) {
      this.#fault(error);
    }
  }

  /** Aborts the attempts that are under way, and begins no more. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#underWay.values()) controller.abort();
  }

  get #isFull(): boolean {
    return this.#underWay.size >= this.#options.maxAtOnce;
  }

  #begin(claimed: Iterable<Work>): void {
    for (const work of claimed) {
      void this.#attempt(work);
      if (this.#isFull) return;
    }
  }

  /** Never rejects. */
  async #attempt(work: Work): Promise<void> {
    const controller = new AbortController();
    this.#underWay.set(work, controller);
    this.#context.attempts.underWay += 1;
    try {
      const { heartbeatMs } = this.#options;
      if (heartbeatMs !== null) this.#context.clock.atLatest(this.#context.now() + heartbeatMs);
      await this.#ports.attempt(work, controller.signal);
      this.#faults = 0;
    } catch (error) {
      if (!this.#isClosed) this.#fault(error);
    } finally {
      this.#underWay.delete(work);
      this.pump(this.#context.now());
      this.#context.attempts.underWay -= 1;
      this.#context.noteActivity(!this.isBusy);
    }
  }

  #fault(error: unknown): void {
    console.error(`${this.#options.name}: stopped by an error, continues after a pause:`, error);
    this.#pumpedAt = -1;
    this.#pausedUntil = this.#context.now() + this.#options.pauseMs(this.#faults);
    this.#faults += 1;
    this.#context.clock.atLatest(this.#pausedUntil);
  }
}
