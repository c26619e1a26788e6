import type { AttemptError, AttemptResult } from "../../webhooks/post.ts";
import type { BegunAttempt, Forwarded, Ledger, Verdict } from "./ledger.ts";

/** Events that are read ahead of the receiver. */
const MAX_OUTSTANDING = 200;

/** One attempt and what became of it, as it is printed. */
export interface AttemptReport {
  seq: number;
  event: string;
  email_id: string;
  /** From 1. */
  attempt: number;
  /** HTTP status; null when no answer came. */
  status: number | null;
  error: AttemptError;
  ms: number;
  state: Verdict;
  /** The run before ended while it sent this event, so that the receiver may get it a second time, under the same id. */
  repeat: boolean;
}

/** The things that a forwarder works with. */
export interface ForwarderTools {
  ledger: Ledger;
  /** Sends an event once; never rejects. */
  send: (forwarded: Forwarded) => Promise<AttemptResult>;
  /** Stores `ledger.progress`. */
  save: () => void;
  report: (report: AttemptReport) => void;
  now: () => number;
}

/** Sends events as they become due, and stores each step before the next one. */
export class Forwarder {
  readonly #tools: ForwarderTools;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #underway = 0;
  #waiting: (() => void)[] = [];
  /** A fault of our own, such as a full disk, that ends the forwarding. */
  #fault: Error | null = null;

  constructor(tools: ForwarderTools) {
    this.#tools = tools;
  }

  /** Takes the next event of the log, once there is room for it. Rejects after a fault. */
  async take(seq: number, forwarded: Forwarded | null): Promise<void> {
    const { ledger, now } = this.#tools;
    await this.#until(() => ledger.outstanding < MAX_OUTSTANDING || ledger.hasFailed);
    ledger.add(seq, forwarded, now());
    this.#pump();
  }

  /** Resolves when everything that was taken is settled, or the receiver counts as failed. Rejects after a fault. */
  drained(): Promise<void> {
    const { ledger } = this.#tools;
    return this.#until(() => ledger.outstanding === 0 || ledger.hasFailed);
  }

  /** Resolves when the receiver counts as failed. Rejects after a fault. */
  failed(): Promise<void> {
    return this.#until(() => this.#tools.ledger.hasFailed);
  }

  /** Begins no more attempts; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    while (this.#underway > 0) await this.#woken();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#fault !== null) return;
    const { ledger, save, now } = this.#tools;
    const nowMs = now();
    try {
      const begun = ledger.begin(nowMs);
      // Before the first byte is sent: whoever reads it after a kill knows which events the receiver may have.
      save();
      for (const one of begun) {
        this.#underway += 1;
        void this.#attempt(one);
      }
    } catch (error) {
      return this.#fail(error);
    }
    const dueAt = ledger.nextDueAt;
    // An event that was due by then and has not begun waits for the end of another attempt.
    if (dueAt !== null && dueAt > nowMs) this.#timer = setTimeout(() => this.#pump(), dueAt - nowMs);
  }

  async #attempt({ forwarded, number, isRepeat }: BegunAttempt): Promise<void> {
    const { ledger, send, save, report, now } = this.#tools;
    const { seq, event, emailId } = forwarded;
    try {
      const { ok, status, error, durationMs } = await send(forwarded);
      const state = ledger.settle(seq, ok, now());
      save();
      report({
        seq,
        event,
        email_id: emailId,
        attempt: number,
        status,
        error,
        ms: Math.round(durationMs),
        state,
        repeat: isRepeat,
      });
    } catch (error) {
      this.#fail(error);
    }
    this.#underway -= 1;
    this.#wake();
    this.#pump();
  }

  #fail(error: unknown): void {
    this.#fault = error instanceof Error ? error : new Error(String(error));
    this.#wake();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#fault !== null) throw this.#fault;
      await this.#woken();
    }
    if (this.#fault !== null) throw this.#fault;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
