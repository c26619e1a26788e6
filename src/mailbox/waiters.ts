import { rateLimited, type Answer } from "../contract/problem.ts";
import { DRAIN_LOOK_MS, isDraining } from "../lib/draining.ts";
import { done, refused } from "../lib/outcome.ts";

/** The most calls of one kind that wait on one mailbox. */
const MAX_WAITERS = 1_000;
const RETRY_SECONDS = 5;

/** Why a wait ended: the item came, time is up, or the caller must be authenticated again. */
export type Wake<Item> = { kind: "item"; item: Item } | { kind: "timeout" } | { kind: "recheck" };

/** The items that a call waits for. */
export interface Wanted<Item> {
  fits: (item: Item) => boolean;
  /** If true, an item that this call gets goes to no other call. */
  consume: boolean;
}

interface Waiter<Item> extends Wanted<Item> {
  wake: (wake: Wake<Item>) => void;
}

/** Calls that wait for something to happen. They wait in memory and are woken after the commit; nobody polls the database. */
export class Waiters<Item> {
  readonly #waiting = new Map<string, Waiter<Item>>();
  /** Runs while calls wait. */
  #look: ReturnType<typeof setInterval> | null = null;

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Waits for an item that fits, at most `timeoutMs`, and not much longer than until the server stops. `forget(id)` ends the wait.
   * 429 if too many calls wait.
   */
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
    this.#look ??= setInterval(() => isDraining() && this.forget(""), DRAIN_LOOK_MS);
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
   * Gives an item to the calls that wait for it. If some of them consume it, only the latest of these gets it: after a lost
   * connection, the latest call is the one whose client is still there. Returns the id of the call that consumes it; null if
   * none does.
   */
  publish(item: Item): string | null {
    const fitting = [...this.#waiting].filter(([, waiter]) => waiter.fits(item));
    const consumer = fitting.findLast(([, waiter]) => waiter.consume);
    for (const [id] of consumer === undefined ? fitting : [consumer]) this.#end(id, { kind: "item", item });
    return consumer?.[0] ?? null;
  }

  /** Wakes every call to authenticate its caller again: a key was revoked, the mailbox was paused or erased. */
  recheck(): void {
    for (const id of this.#waiting.keys()) this.#end(id, { kind: "recheck" });
  }

  /** Ends the waits whose ids begin with this: their caller closed its connection or cancelled, so they consume nothing. */
  forget(beginning: string): void {
    for (const id of this.#waiting.keys()) if (id.startsWith(beginning)) this.#end(id, { kind: "timeout" });
  }

  #end(id: string, reason: Wake<Item>): void {
    const waiter = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && this.#look !== null) {
      clearInterval(this.#look);
      this.#look = null;
    }
    waiter?.wake(reason);
  }
}

/** The most time in ms from an answer of the mailbox until it has left. After that, its client counts as gone. */
const HAND_OVER_MS = 10_000;

/**
 * Items that are handed out once, by answers that are under way. An item counts as handed out when its answer has left; if the
 * client is gone, it is given back.
 */
export class HandOvers<Item> {
  readonly #items = new Map<string, { item: Item; timer: ReturnType<typeof setTimeout> }>();
  readonly #giveBack: (item: Item) => void;

  constructor(giveBack: (item: Item) => void) {
    this.#giveBack = giveBack;
  }

  /** The items that are under way. */
  get items(): Item[] {
    return Array.from(this.#items.values(), ({ item }) => item);
  }

  /** Holds an item for the answer of the call with this id. */
  hold(id: string, item: Item): void {
    this.forget(id);
    this.#items.set(id, { item, timer: setTimeout(() => this.forget(id), HAND_OVER_MS) });
  }

  /** The item whose answer has left; null if it was given back before. */
  delivered(id: string): Item | null {
    const held = this.#items.get(id);
    clearTimeout(held?.timer);
    this.#items.delete(id);
    return held?.item ?? null;
  }

  /** Gives back the items of the calls whose ids begin with this. */
  forget(beginning: string): void {
    for (const id of this.#items.keys()) {
      const item = id.startsWith(beginning) ? this.delivered(id) : null;
      if (item !== null) this.#giveBack(item);
    }
  }
}
