import { rateLimited, type Answer } from "../contract/problem.ts";
import type { CodeFilters } from "../contract/routes.ts";
import { done, refused } from "../lib/outcome.ts";
import { fits } from "./codes.ts";
import type { CodeRow } from "./schema.ts";

/** Long-polls that one mailbox holds at once. */
const MAX_WAITERS = 1_000;
const RETRY_SECONDS = 5;

/** What ended a wait: the message, the time, or a change that makes the caller prove itself again. */
export type Wake = { kind: "message"; message: CodeRow } | { kind: "timeout" } | { kind: "recheck" };

interface Waiter {
  id: string;
  filters: CodeFilters;
  wake: (wake: Wake) => void;
}

/** Callers waiting for a code. They live in memory and are woken by the commit; nobody queries in a loop. */
export class Waiters {
  readonly #waiting = new Map<string, Waiter>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Waits for a message that fits `filters`, at most `timeoutMs`. `id` lets the caller's hang-up end the wait. */
  wait(id: string, filters: CodeFilters, timeoutMs: number): Answer<Promise<Wake>> {
    if (this.#waiting.size >= MAX_WAITERS) {
      return refused(
        rateLimited("waiting requests", {
          limit: MAX_WAITERS,
          windowSeconds: 1,
          resetSeconds: RETRY_SECONDS,
        }),
      );
    }
    return done(
      new Promise((resolve) => {
        const timer = setTimeout(() => this.#end(id, { kind: "timeout" }), timeoutMs);
        const wake = (reason: Wake) => {
          clearTimeout(timer);
          resolve(reason);
        };
        this.#waiting.set(id, { id, filters, wake });
      }),
    );
  }

  /**
   * Hands a new message to everybody who waits for it. Who consumes is served first and alone, the latest first: after a
   * lost connection the latest is the one still there. Returns true if the code was consumed.
   */
  publish(message: CodeRow): boolean {
    const fitting = [...this.#waiting.values()].filter((waiter) => fits(message, waiter.filters));
    const consumer = fitting.findLast((waiter) => waiter.filters.consume);
    const served = consumer === undefined ? fitting : [consumer];
    for (const waiter of served) this.#end(waiter.id, { kind: "message", message });
    return consumer !== undefined;
  }

  /** Makes every waiter prove itself again: a key was revoked, the mailbox paused or erased. */
  recheck(): void {
    for (const id of this.#waiting.keys()) this.#end(id, { kind: "recheck" });
  }

  /** Forgets a waiter whose caller hung up, so that it consumes nothing. */
  forget(id: string): void {
    this.#end(id, { kind: "timeout" });
  }

  #end(id: string, reason: Wake): void {
    const waiter = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiter?.wake(reason);
  }
}
