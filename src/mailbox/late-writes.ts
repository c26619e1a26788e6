/** How long a write waits for another transaction that takes it along, in ms. */
const DELAY_MS = 100;

/** The functions of the mailbox that late writes use. */
interface Tools {
  /** Calls a function after a time in ms, if the object is still in memory. */
  later: (work: () => void, ms: number) => void;
  /** Runs a change as one transaction. */
  write: (change: () => void) => void;
  /** Called after the writes were made. */
  made: () => void;
}

/**
 * Writes that no answer waits for, because the platform holds each answer back until everything written is on disk. They are made
 * with the next transaction, or a moment later in one of their own. If the process dies before, they are lost: only what may be lost is
 * written so.
 */
export class LateWrites {
  readonly #tools: Tools;
  #waiting: (() => void)[] = [];
  /** Whether `made` was not called since a write was planned. */
  #isOpen = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Plans a write. */
  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#tools.later(() => this.flush(), DELAY_MS);
  }

  /** Makes a change and then the planned writes, within a transaction of the caller. */
  beside<T>(change: () => T): T {
    const made = change();
    this.#take();
    return made;
  }

  /** Makes the planned writes now. Returns whether any were planned since the last time, made or not. */
  flush(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    try {
      if (this.#waiting.length > 0) this.#tools.write(() => this.#take());
      this.#tools.made();
    } catch (error) {
      console.error("A mailbox could not write what nobody waits for:", error);
    }
    return true;
  }

  /** Drops the planned writes: the mailbox ends, or what they would write is read again from disk. */
  forget(): void {
    this.#waiting = [];
    this.#isOpen = false;
  }

  #take(): void {
    for (const work of this.#waiting.splice(0)) work();
  }
}
