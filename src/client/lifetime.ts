import { MailkeepError } from "./error.ts";
import { LONGEST_TIMER_MS } from "./pause.ts";

/** How long a call may go on: until its deadline, and as long as its caller wants it. */
export class Lifetime {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #endMs: number;
  readonly #timeoutMs: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;

  /**
   * Throws the reason of `outer` if it has aborted already.
   * @param timeoutMs time until the deadline; more than 24 days count as none.
   */
  constructor(outer: AbortSignal | undefined, timeoutMs: number) {
    this.#outer = outer;
    this.#timeoutMs = timeoutMs;
    this.#endMs = performance.now() + timeoutMs;
    outer?.throwIfAborted();
    outer?.addEventListener("abort", this.#leave);
    if (timeoutMs > LONGEST_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort();
    }, timeoutMs);
  }

  /** Aborts when the call must end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the deadline is over. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Time until the deadline, in ms; Infinity without one. */
  get remainingMs(): number {
    return this.#endMs - performance.now();
  }

  /** The error to end with instead of `error`, if the call must end; else `error`. */
  reasonFor(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason;
    if (!this.#isLate) return error;
    return new MailkeepError({
      status: 0,
      code: "timeout",
      message: `The call took longer than ${this.#timeoutMs} ms`,
      retryable: true,
      cause: error,
    });
  }

  /** Removes the deadline: the answer has begun, and its bytes may take as long as they need. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }

  /** Removes the listener of the caller's signal, and the timer. */
  end(): void {
    this.stopClock();
    this.#outer?.removeEventListener("abort", this.#leave);
  }

  readonly #leave = (): void => this.#controller.abort(this.#outer?.reason);
}
