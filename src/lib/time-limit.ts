/** Why a limit ended the work: its time was over, or its signal aborted. */
export type EndReason = "late" | "given up";

export interface TimeLimitOptions {
  ms: number;
  /** Ends the work early when it aborts. */
  given?: AbortSignal | null;
  /** The error that ends the work; else one that names the limit, or the reason of `given`. */
  errorFor?: (reason: EndReason) => Error;
}

/**
 * Limits the time of some work. Its timer ends with `clear`, which its owner must call: the timer of AbortSignal.timeout
 * runs on after the work and keeps an actor in memory.
 */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #end: Promise<never>;
  #endWith: (error: unknown) => void = () => {};
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #given: AbortSignal | null;
  readonly #giveUp: () => void;
  #isLate = false;

  constructor({ ms, given = null, errorFor }: TimeLimitOptions) {
    // The command line runs in Node 20, which has no Promise.withResolvers.
    this.#end = new Promise((_, reject) => (this.#endWith = reject));
    // The rejection is handled here: the time can be over before anyone waits.
    this.#end.catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#abort(errorFor?.("late") ?? new Error(`Not done within ${ms} ms`));
    }, ms);
    this.#giveUp = () => this.#abort(errorFor?.("given up") ?? given?.reason);
    this.#given = given;
    given?.addEventListener("abort", this.#giveUp, { once: true });
    if (given?.aborted === true) this.#giveUp();
  }

  /** Aborts when the time is over or the work is given up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time ran out. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Waits for work that heeds no signal; rejects when the time is over or the work is given up. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#end]);
  }

  /** Ends the timer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener("abort", this.#giveUp);
  }

  /** Ends the timer and aborts the signal, for work that goes on in the background. */
  abort(error: Error): void {
    this.clear();
    this.#controller.abort(error);
  }

  #abort(error: unknown): void {
    this.#controller.abort(error);
    this.#endWith(error);
  }
}

/** Runs work under a time limit, which also ends when `given` aborts. The work must heed its signal. */
export async function withinTime<T>(
  ms: number,
  given: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new TimeLimit({ ms, given });
  try {
    return await work(limit.signal);
  } finally {
    limit.clear();
  }
}
