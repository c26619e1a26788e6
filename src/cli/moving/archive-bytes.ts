import type { Window } from "../../lib/archive/window.ts";

/** Bytes of zeros that end an archive, and may not be there otherwise. */
export const END_BYTES = 1_024;

/** The bytes of an archive, which are read from front to end. */
export interface ArchiveBytes {
  /** The bytes from `offset` on: `length`, or fewer at the end. They are valid until the next call. */
  at(offset: number, length: number): Promise<Uint8Array>;
  /** Promises not to read the bytes before `offset` again. */
  forget(offset: number): void;
  /** The last {@link END_BYTES}; nothing before them can be read afterwards. */
  end(): Promise<Uint8Array>;
}

/** The bytes of an archive that can be read again and again. */
export function bytesIn(window: Window): ArchiveBytes {
  return {
    at: (offset, length) => window.at(offset, length),
    forget: () => {},
    end: () => window.at(Math.max(0, window.sizeBytes - END_BYTES), END_BYTES),
  };
}

/** The bytes of an archive that arrive now. Each is passed on as soon as it is read. */
export class PassingBytes implements ArchiveBytes {
  readonly #arriving: AsyncIterator<Uint8Array, void>;
  readonly #passOn: (bytes: Uint8Array) => Promise<void>;
  #kept: Buffer = Buffer.alloc(0);
  /** Where the kept bytes begin. */
  #start = 0;
  #isOver = false;

  /** Errors of `arriving` and of `passOn` reject the call that reads. */
  constructor(arriving: AsyncIterable<Uint8Array>, passOn: (bytes: Uint8Array) => Promise<void>) {
    this.#arriving = arriving[Symbol.asyncIterator]();
    this.#passOn = passOn;
  }

  async at(offset: number, length: number): Promise<Uint8Array> {
    while (!this.#isOver && this.#start + this.#kept.length < offset + length) await this.#read();
    return this.#kept.subarray(offset - this.#start, offset - this.#start + length);
  }

  forget(offset: number): void {
    const count = Math.min(offset - this.#start, this.#kept.length);
    this.#kept = this.#kept.subarray(count);
    this.#start += count;
  }

  async end(): Promise<Uint8Array> {
    while (!this.#isOver) {
      await this.#read();
      this.forget(this.#start + Math.max(0, this.#kept.length - END_BYTES));
    }
    return this.#kept.subarray(-END_BYTES);
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#arriving.next();
    this.#isOver = done === true;
    if (done === true) return;
    this.#kept = Buffer.concat([this.#kept, value]);
    await this.#passOn(value);
  }
}
