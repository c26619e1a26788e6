import type { Account } from "./account/account.ts";
import type { MailboxContext } from "./context.ts";

/** Work that a mailbox does by itself, beside whoever asks it something. */
export interface Job {
  /** When the alarm must ring for it, in ms since 1970; null entries are work without a date. */
  dues(nowMs: number): (number | null)[];
  /** Starts what is due. Work that takes long goes on after it returns; the alarm waits for a promise. */
  pump(nowMs: number): void | Promise<void>;
  /** Reads again what it keeps in memory: a transaction that it took part in was undone. */
  forget?(): void;
  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close?(): void;
}

/** The rows that a drain works on, and the rules of its job. */
export interface DrainPorts<Work> {
  /** Whether all work waits although the mailbox lives: it is paused, for example. */
  isHeld?(account: Account): boolean;
  /** The earliest due time later than `afterMs`, in ms since 1970; null if there is none. */
  nextDue(afterMs: number): number | null;
  /**
   * Yields attempts that may begin now. Each is written down, with a lease, before it is yielded: if the process dies during the
   * attempt, the row is due again when the lease ends. The drain starts an attempt as soon as it is yielded, and stops reading
   * when it is full.
   *
   * @param underWay attempts that have begun and not ended.
   */
  claim(nowMs: number, underWay: readonly Work[]): Iterable<Work>;
  /** Extends the lease of an attempt that is still under way, if the lease is over. Called at each pump. */
  renew?(work: Work, nowMs: number): void;
  /** Makes the attempt and writes down its outcome, but writes nothing once `signal` is aborted: the mailbox has ended. */
  attempt(work: Work, signal: AbortSignal): Promise<void>;
}

/** How a drain works. */
export interface DrainOptions {
  /** The name of the work in the log of faults: "Webhooks". */
  name: string;
  /** Attempts under way at once. */
  maxAtOnce: number;
  /**
   * While an attempt is under way the alarm rings this often, so that a new process continues soon after a death. Null if the
   * leases alone suffice.
   */
  heartbeatMs: number | null;
  /** How long no attempt begins after `faults` earlier faults in a row. Without it the alarm would ring at once and fail again. */
  pauseMs: (faults: number) => number;
}

/**
 * Attempts rows that are due. It writes each attempt down with a lease before it makes it, and nobody waits for its end. If the
 * process dies, the lease remains; if an attempt or a claim throws, the drain pauses; and no attempt begins once the mailbox has
 * ended or while its work is held.
 */
export class Drain<Work> {
  readonly #context: Pick<MailboxContext, "account" | "clock" | "now">;
  readonly #ports: DrainPorts<Work>;
  readonly #options: DrainOptions;
  readonly #underWay = new Map<Work, AbortController>();
  /** Every row that was due by then has begun, or waits for the end of an attempt. In ms since 1970; -1 after a fault. */
  #pumpedAt = -1;
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

  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Faults since the last attempt that did not throw. */
  get faults(): number {
    return this.#faults;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether no attempt begins now because of a fault. */
  isPaused(nowMs: number): boolean {
    return nowMs < this.#pausedUntil;
  }

  /** Whether the mailbox lives and its work is not held. */
  mayWork(nowMs: number): boolean {
    const account = this.#context.account();
    if (this.#isClosed || account?.isLive(nowMs) !== true) return false;
    return this.#ports.isHeld?.(account) !== true;
  }

  /**
   * When the alarm must ring. A row that is due already and waits for the end of an attempt is left out, because the alarm would
   * ring without end.
   */
  dues(nowMs: number): number[] {
    if (!this.mayWork(nowMs)) return [];
    const { heartbeatMs } = this.#options;
    const next = this.#ports.nextDue(this.isBusy ? Math.min(this.#pumpedAt, nowMs) : -1);
    return [
      ...(next === null ? [] : [Math.max(next, this.#pausedUntil)]),
      ...(this.isBusy && heartbeatMs !== null ? [nowMs + heartbeatMs] : []),
    ];
  }

  /** Starts the attempts that are due. Never throws, and returns before any of them has ended. */
  pump(nowMs: number): void {
    try {
      if (!this.mayWork(nowMs)) return;
      const underWay = [...this.#underWay.keys()];
      for (const work of underWay) this.#ports.renew?.(work, nowMs);
      if (this.isPaused(nowMs)) return;
      if (!this.#isFull) this.#begin(this.#ports.claim(nowMs, underWay));
      this.#pumpedAt = nowMs;
    } catch (error) {
      this.#fault(error);
    }
  }

  /** Aborts the attempts that are under way. None begins any more. */
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
    }
  }

  #fault(error: unknown): void {
    console.error(`${this.#options.name}: failed, and goes on later:`, error);
    this.#pumpedAt = -1;
    this.#pausedUntil = this.#context.now() + this.#options.pauseMs(this.#faults);
    this.#faults += 1;
    this.#context.clock.atLatest(this.#pausedUntil);
  }
}
