import type { OutboundMail } from "./transport.ts";

/** Time of one try over a network, before what the size of the message adds. */
export const TRY_LIMIT_MS = 60_000;
/** The slowest peer worth waiting for: 100 MB with their base64 take nine and a half minutes, within the 15 of an alarm. */
const SLOWEST_BYTES_PER_MS = 250;

/** How long a message of that size may take, from first to last. */
export function tryLimitMs(sizeBytes: number, baseMs: number = TRY_LIMIT_MS): number {
  return baseMs + Math.ceil(sizeBytes / SLOWEST_BYTES_PER_MS);
}

/** Why an attempt ended, where it was not the peer that ended it; its message is for the sender. */
export class Ended extends Error {}

/** One try to hand over one message: its time, its stream, and whether the end of the message was let go. */
export class Attempt {
  readonly mail: OutboundMail;
  readonly #over = new AbortController();
  readonly #lost = Promise.withResolvers<never>();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #given: AbortSignal;
  readonly #giveUp = (): void => this.#end("The try was ended");
  #isLate = false;
  #word: Promise<void> | null = null;
  #endSaid = false;

  /** `signal` ends it early. Whoever makes an attempt also closes it. */
  constructor(mail: OutboundMail, signal: AbortSignal, limitMs: number) {
    this.mail = mail;
    // Its own handler: nobody may be waiting when the time is up.
    this.#lost.promise.catch(() => undefined);
    // Not AbortSignal.timeout: its timer outlives the attempt and keeps the actor in memory.
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#end("The time for this try is up");
    }, limitMs);
    this.#given = signal;
    signal.addEventListener("abort", this.#giveUp, { once: true });
    if (signal.aborted) this.#giveUp();
  }

  /** Aborts when the attempt's time is up or it is given up. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** The far side took longer than it may. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** From here on, no answer means that nobody knows. */
  get mayBeTaken(): boolean {
    return this.#endSaid;
  }

  /** Ends a wait that heeds no signal. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#lost.promise]);
  }

  /** The message, whole or not at all: throws where it has not the size it should have. */
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

  /** The message in one piece, for who takes no stream. Throws where it has not the size it should have. */
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
   * The message up to, and not beyond, the point where its end can be said: when this is exhausted, `beforeEnd` was heard.
   * `flushed` resolves when the kernel has taken all that was yielded. Throws where the end must not be said.
   */
  async *body(flushed: () => Promise<void>): AsyncGenerator<Uint8Array, void> {
    yield* this.chunks();
    await this.race(flushed());
    await this.passEnd();
  }

  /** Asks for leave to say the end; throws where it is not given, and where the attempt is over meanwhile. */
  async passEnd(): Promise<void> {
    this.signal.throwIfAborted();
    this.#word = this.mail.beforeEnd();
    await this.#word;
    this.signal.throwIfAborted();
    this.#endSaid = true;
  }

  /** Resolves when `beforeEnd`, if it was asked, has answered; it is not asked any more. */
  async close(): Promise<void> {
    this.#over.abort(new Ended("The try is over"));
    clearTimeout(this.#timer);
    this.#given.removeEventListener("abort", this.#giveUp);
    await this.#word?.catch(() => undefined);
  }

  #end(why: string): void {
    const reason = new Ended(why);
    this.#over.abort(reason);
    this.#lost.reject(reason);
  }
}
