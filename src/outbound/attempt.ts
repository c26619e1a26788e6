import { TimeLimit } from "../lib/time-limit.ts";
import type { OutboundMail } from "./transport.ts";

/** Milliseconds for one try over a network; the size of the message adds to them. */
export const TRY_LIMIT_MS = 60_000;
/** The slowest peer that is waited for: 100 MB, in base64, take nine and a half minutes; an alarm may take 15. */
const SLOWEST_BYTES_PER_MS = 250;

/** Milliseconds that a try of a message of that size may take in all. */
export function tryLimitMs(sizeBytes: number, baseMs: number = TRY_LIMIT_MS): number {
  return baseMs + Math.ceil(sizeBytes / SLOWEST_BYTES_PER_MS);
}

/** The error of an attempt that we ended, not the peer. The sender sees its message. */
export class Ended extends Error {}

const ENDED_BECAUSE = { late: "The time for this try is up", "given up": "The try was ended" } as const;

/** One try to hand over one message: its time limit, its bytes, and whether the end of the message was sent. */
export class Attempt {
  readonly mail: OutboundMail;
  readonly #limit: TimeLimit;
  #leave: Promise<void> | null = null;
  #isEndSent = false;

  /** `signal` ends it early. The owner must call `close`. */
  constructor(mail: OutboundMail, signal: AbortSignal, limitMs: number) {
    this.mail = mail;
    this.#limit = new TimeLimit({
      ms: limitMs,
      given: signal,
      errorFor: (reason) => new Ended(ENDED_BECAUSE[reason]),
    });
  }

  /** Aborts when the time of the attempt is over or it is given up. */
  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** Whether the time ran out. */
  get isLate(): boolean {
    return this.#limit.isLate;
  }

  /** Whether the end of the message was sent: if no answer comes now, the message may have been taken. */
  get mayBeTaken(): boolean {
    return this.#isEndSent;
  }

  /** Waits for work that heeds no signal; rejects when the attempt ends. */
  race<T>(work: Promise<T>): Promise<T> {
    return this.#limit.race(work);
  }

  /** The bytes of the message. Throws if they are not as many as announced. */
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
      // On a stream that ended it does nothing, on a broken one it rejects.
      reader.cancel().catch(() => undefined);
    }
    // A blob that was cut off must not arrive as a whole message.
    if (bytes !== this.mail.sizeBytes) {
      throw new Ended(`The message has not the ${this.mail.sizeBytes} bytes that it should have`);
    }
  }

  /** The message in one piece. Throws if it does not have the announced size. */
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
   * sent. `flushed` resolves when the kernel has taken all bytes that were yielded.
   */
  async *body(flushed: () => Promise<void>): AsyncGenerator<Uint8Array, void> {
    yield* this.chunks();
    await this.race(flushed());
    await this.passEnd();
  }

  /** Asks `beforeEnd` whether the end of the message may be sent; throws if not, and if the attempt ended meanwhile. */
  async passEnd(): Promise<void> {
    this.signal.throwIfAborted();
    this.#leave = this.mail.beforeEnd();
    await this.#leave;
    this.signal.throwIfAborted();
    this.#isEndSent = true;
  }

  /** Ends the attempt. Resolves when a call of `beforeEnd` under way has ended; there is no further one. */
  async close(): Promise<void> {
    this.#limit.abort(new Ended("The try is over"));
    await this.#leave?.catch(() => undefined);
  }
}
