import {
  afterDelivery,
  chooseDue,
  nextAttemptAt,
  type DueJob,
  type TargetState,
} from "../../webhooks/schedule.ts";
import type { Progress } from "./state.ts";

/** An event that is forwarded. */
export interface Forwarded {
  seq: number;
  event: string;
  emailId: string;
  /** The body of its webhook. */
  body: string;
}

interface Job extends DueJob {
  forwarded: Forwarded;
  isUnderway: boolean;
  /** An attempt of it was under way when the process before ended: the receiver may know it already. */
  isRepeat: boolean;
}

/** An attempt that begins now. */
export interface BegunAttempt {
  forwarded: Forwarded;
  /** From 1. */
  number: number;
  isRepeat: boolean;
}

/** The state of an event after an attempt: `retry` until the last one. */
export type Verdict = "delivered" | "retry" | "failed";

/**
 * Which events are to be forwarded, when, and how far the route came. It follows the schedule of the server's webhooks. Pure
 * but for its own memory: whoever uses it stores `progress` before an attempt begins and after it ends.
 */
export class Ledger {
  readonly #jobs = new Map<number, Job>();
  readonly #settled: Set<number>;
  readonly #failed: Map<number, number>;
  readonly #interrupted: Set<number>;
  #after: number;
  /** The newest event that was added. */
  #seen: number;
  #target: TargetState = { failures: 0, status: "active" };

  constructor({ after, settled, failed, underway }: Progress) {
    this.#after = after;
    this.#seen = after;
    this.#settled = new Set(settled);
    this.#failed = new Map(failed);
    this.#interrupted = new Set(underway);
  }

  /** Events that wait for an attempt or have one under way. */
  get outstanding(): number {
    return this.#jobs.size;
  }

  /** Whether ten deliveries in a row failed: then nothing more is sent. */
  get hasFailed(): boolean {
    return this.#target.status === "failed";
  }

  /** Events that an earlier process was sending when it ended, and that are sent again. */
  get interrupted(): readonly number[] {
    return [...this.#interrupted].toSorted((a, b) => a - b);
  }

  /** Takes the next event of the log; `forwarded` is null for one that webhooks do not deliver. */
  add(seq: number, forwarded: Forwarded | null, nowMs: number): void {
    this.#seen = Math.max(this.#seen, seq);
    const isKnown = seq <= this.#after || this.#settled.has(seq) || this.#jobs.has(seq);
    if (forwarded === null || isKnown) return this.#advance();
    this.#jobs.set(seq, {
      id: seq,
      target: 0,
      seq,
      attempts: this.#failed.get(seq) ?? 0,
      dueAt: nowMs,
      forwarded,
      isUnderway: false,
      isRepeat: this.#interrupted.has(seq),
    });
  }

  /** Marks the events whose attempt starts now, and returns them. */
  begin(nowMs: number): BegunAttempt[] {
    if (this.hasFailed) return [];
    const jobs = [...this.#jobs.values()];
    const running = new Set(jobs.filter(({ isUnderway }) => isUnderway).map(({ id }) => id));
    const chosen = new Set(chooseDue(jobs, running, nowMs));
    return jobs
      .filter(({ id }) => chosen.has(id))
      .map((job) => {
        job.isUnderway = true;
        return { forwarded: job.forwarded, number: job.attempts + 1, isRepeat: job.isRepeat };
      });
  }

  /** Takes the result of an attempt. */
  settle(seq: number, isDelivered: boolean, nowMs: number): Verdict {
    const job = this.#jobs.get(seq);
    if (job === undefined) throw new Error(`No attempt of event ${seq} was begun`);
    this.#interrupted.delete(seq);
    job.isUnderway = false;
    job.isRepeat = false;
    job.attempts += 1;
    const dueAt = isDelivered ? null : nextAttemptAt(job.attempts, nowMs);
    if (dueAt !== null) {
      job.dueAt = dueAt;
      this.#failed.set(seq, job.attempts);
      return "retry";
    }
    this.#jobs.delete(seq);
    this.#failed.delete(seq);
    this.#settled.add(seq);
    this.#target = afterDelivery(this.#target, isDelivered);
    this.#advance();
    return isDelivered ? "delivered" : "failed";
  }

  /** When the next attempt is due, in ms since 1970; null if none waits. */
  get nextDueAt(): number | null {
    const waiting = [...this.#jobs.values()].filter(({ isUnderway }) => !isUnderway);
    return waiting.length === 0 ? null : Math.min(...waiting.map(({ dueAt }) => dueAt));
  }

  /** How far the route came. */
  get progress(): Progress {
    const underway = [...this.#jobs.values()].filter(({ isUnderway }) => isUnderway).map(({ seq }) => seq);
    return {
      after: this.#after,
      settled: [...this.#settled],
      failed: this.#failed,
      underway: [...new Set([...this.#interrupted, ...underway])],
    };
  }

  /** Moves `after` up to the first event that is not settled. */
  #advance(): void {
    const first = Math.min(...this.#jobs.keys());
    this.#after = Math.max(this.#after, Number.isFinite(first) ? first - 1 : this.#seen);
    for (const set of [this.#settled, this.#interrupted]) {
      for (const seq of set) if (seq <= this.#after) set.delete(seq);
    }
  }
}
