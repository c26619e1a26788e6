/**
 * How long a call waits for a runtime that is being started again, in ms. It takes about a second; senders of mail and clients
 * of HTTP wait longer than this.
 */
const WAIT_MS = 10_000;

/**
 * Whether the runtime runs and listens on its ports. While it does not, another program may have taken them, so nobody sends
 * mail or keys there: those who call the runtime wait at the gate.
 */
export class RuntimeGate {
  #isOpen = true;
  #waiting: ((isOpen: boolean) => void)[] = [];

  /** Call when the runtime ends, or is about to. */
  close(): void {
    this.#isOpen = false;
  }

  /** Call when the runtime listens. */
  open(): void {
    this.#isOpen = true;
    for (const pass of this.#waiting.splice(0)) pass(true);
  }

  /** Resolves to true as soon as the runtime listens, to false if it still does not after `waitMs`. */
  async passes(waitMs = WAIT_MS): Promise<boolean> {
    if (this.#isOpen) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), waitMs);
    this.#waiting.push(resolve);
    const isOpen = await promise;
    clearTimeout(timer);
    this.#waiting = this.#waiting.filter((one) => one !== resolve);
    return isOpen;
  }
}
