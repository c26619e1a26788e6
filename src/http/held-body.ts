import { breath } from "../lib/breath.ts";
import type { Wait } from "../service/wait.ts";

/**
 * How often a body is written to while its answer is awaited. On one machine, only a write shows that a client closed its
 * connection, so a call outlives its client by no more than this.
 */
export const KEEP_ALIVE_MS = 2_000;
/** How long after a write it is known whether the client was still there: a round trip between continents; on one machine. */
const ROUND_TRIP_MS = 200;
const LOCAL_TRIP_MS = 20;

const encoder = new TextEncoder();

/** The body of an answer that begins before the answer is known. */
export class HeldBody {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #timer: ReturnType<typeof setInterval>;

  /**
   * @param filler is written until the answer is known, and means nothing
   * @param onGone is called when the client hung up
   */
  constructor(filler: string, onGone: () => void) {
    this.readable = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      cancel: () => {
        this.#stop();
        onGone();
      },
    });
    this.#timer = setInterval(() => this.write(filler), KEEP_ALIVE_MS);
  }

  write(text: string): void {
    this.#send(encoder.encode(text));
  }

  /** Ends the body with this text. */
  end(text = ""): void {
    this.write(text);
    this.#stop()?.close();
  }

  /**
   * Ends the body with an answer that hands something out. Its last byte is withheld until it is known that the client was
   * there for the others; if it was not, nothing counts as handed out. The byte before it shows who left after the first ones.
   */
  async handOver(text: string, waits: readonly Wait[]): Promise<void> {
    clearInterval(this.#timer);
    const bytes = encoder.encode(text);
    for (const [from, to, waitMs] of [
      [0, -2, ROUND_TRIP_MS],
      [-2, -1, LOCAL_TRIP_MS],
    ] as const) {
      this.#send(bytes.subarray(from, to));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      // After a pause of the whole process, the timer is due before the news of the connection is read.
      await breath();
      if (waits.some(({ isGone }) => isGone)) this.breakOff(new Error("The client is gone"));
      if (this.#controller === null) return;
    }
    this.#send(bytes.subarray(-1));
    this.#stop()?.close();
    for (const wait of waits) wait.delivered();
  }

  /** Breaks the body off: the client sees that it is incomplete. */
  breakOff(error: Error): void {
    // `retryable` marks a lost connection for the runtime, which logs any other error as uncaught.
    this.#stop()?.error(Object.assign(error, { retryable: true }));
  }

  #send(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#controller?.enqueue(bytes);
  }

  #stop() {
    const controller = this.#controller;
    this.#controller = null;
    clearInterval(this.#timer);
    return controller;
  }
}
