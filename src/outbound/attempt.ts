import { TimeLimit } from "../lib/time-limit.ts";
import type { OutboundMail } from "./transport.ts";

/** Time limit of one attempt over a network, in ms; time for the size of the message is added. */
export const TRY_LIMIT_MS = 60_000;
/** The slowest accepted peer, in bytes per ms: it takes nine and a half minutes for 100 MB in base64; an alarm may take 15. */
const SLOWEST_BYTES_PER_MS = 250;

/** Time limit of an attempt for a message of that size, in ms. */
export function tryLimitMs(sizeBytes: number, baseMs: number = TRY_LIMIT_MS): number {
  return baseMs + Math.ceil(sizeBytes / SLOWEST_BYTES_PER_MS);
}

/** The error of an attempt that this server ended, not the peer. The sender sees its message. */
export class AttemptEnded extends Error {}

const ENDED_BECAUSE = { late: "The time for this try is up", "given up": "The try was ended" } as const;

/** One attempt to hand over one message: its time limit, its bytes, and whether the end of the message was sent. */
export class Attempt {
  readonly mail: OutboundMail;
  readonly #limit: TimeLimit;
  #leave: Promise<void> | null = null;
  #isEndSent = false;

  /**
   * The owner must call `close`.
   *
   * @param signal ends the attempt early.
   */
  constructor(mail: OutboundMail, signal: AbortSignal, limitMs: number) {
    this.mail = mail;
    this.#limit = new TimeLimit({
      ms: limitMs,
      given: signal,
      errorFor: (reason) => new AttemptEnded(ENDED_BECAUSE[reason]),
    });
  }

  /** Aborts when time is up or the attempt is given up. */
  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** Whether time ran out. */
  get isLate(): boolean {
    return this.#limit.isLate;
  }

  /** Whether the end of the message was sent: if no answer comes after that, the message may have been taken. */
  get mayBeTaken(): boolean {
    return this.#isEndSent;
  }

  /** Waits for work that ignores `signal`; rejects when the attempt ends. */
  race<T>(work: Promise<T>): Promise<T> {
    return this.#limit.race(work);
  }

  /** The bytes of the message. Throws if their number differs from the announced size. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const reader = this.mail.open().getReader();
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await this.race(reader.read());
        if (done) break;
        bytes += value.byteLength;
        if (bytes > this.mail.sizeBytes) break;
        yield value;
      }
    } finally {
      // Cancelling a stream that has ended does nothing; on a broken one it rejects.
      reader.cancel().catch(() => undefined);
    }
    // A truncated blob must not arrive as a complete message.
    if (bytes !== this.mail.sizeBytes) {
      throw new AttemptEnded(
        `The message does not have the ${this.mail.sizeBytes} bytes that were announced`,
      );
    }
  }

  /** The whole message. Throws if it does not have the announced size. */
  async whole(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(this.mail.sizeBytes);
    let end = 0;
    for await (const chunk of this.chunks()) {
      bytes.set(chunk, end);
      end += chunk.byteLength;
    }
    return bytes;
  }

  /**
   * The bytes of the message. After the last one it waits for `beforeEnd`, and throws if the end of the message must not be
   * sent. `flushed` resolves when the kernel has taken all yielded bytes.
   */
  async *body(flushed: () => Promise<void>): AsyncGenerator<Uint8Array, void> {
    yield* this.chunks();
    await this.race(flushed());
    await this.passEnd();
  }

  /** Calls `beforeEnd`. Throws if the end of the message must not be sent, or if the attempt ended meanwhile. */
  async passEnd(): Promise<void> {
    this.signal.throwIfAborted();
    this.#leave = this.mail.beforeEnd();
    await this.#leave;
    this.signal.throwIfAborted();
    this.#isEndSent = true;
  }

  /** Ends the attempt. Resolves when a running call of `beforeEnd` has ended; none is made afterwards. */
  async close(): Promise<void> {
    this.#limit.abort(new AttemptEnded("The try is over"));
    await this.#leave?.catch(() => undefined);
  }
}
