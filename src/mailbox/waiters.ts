import { rateLimited, type Answer } from "../contract/problem.ts";
import { done, refused } from "../lib/outcome.ts";

/** Long-polls of one kind that one mailbox holds at once. */
const MAX_WAITERS = 1_000;
const RETRY_SECONDS = 5;

/** What ended a wait: what was waited for, the time, or a change that makes the caller prove itself again. */
export type Wake<Item> = { kind: "item"; item: Item } | { kind: "timeout" } | { kind: "recheck" };

/** What a caller waits for. */
export interface Wanted<Item> {
  fits: (item: Item) => boolean;
  /** Whoever is served so is served alone. */
  consume: boolean;
}

interface Waiter<Item> extends Wanted<Item> {
  wake: (wake: Wake<Item>) => void;
}

/** Callers waiting for something to happen. They live in memory and are woken after the commit; nobody queries in a loop. */
export class Waiters<Item> {
  readonly #waiting = new Map<string, Waiter<Item>>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Waits for what is `wanted`, at most `timeoutMs`. `id` lets the caller's hang-up end the wait. */
  wait(id: string, wanted: Wanted<Item>, timeoutMs: number): Answer<Promise<Wake<Item>>> {
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
        const wake = (reason: Wake<Item>) => {
          clearTimeout(timer);
          resolve(reason);
        };
        this.#waiting.set(id, { ...wanted, wake });
      }),
    );
  }

  /**
   * Hands what happened to everybody who waits for it. Who consumes is served first and alone, the latest first: after a
   * lost connection the latest is the one still there. Returns true if it was consumed.
   */
  publish(item: Item): boolean {
    const fitting = [...this.#waiting].filter(([, waiter]) => waiter.fits(item));
    const consumer = fitting.findLast(([, waiter]) => waiter.consume);
    for (const [id] of consumer === undefined ? fitting : [consumer]) this.#end(id, { kind: "item", item });
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

  #end(id: string, reason: Wake<Item>): void {
    const waiter = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiter?.wake(reason);
  }
}
