import { MAX_HEADER_BYTES_OF_PART } from "./header-limits.ts";

const LF = 0x0a;
const CR = 0x0d;
/** A byte more than the longest header that is read, so that a longer line is seen to be one. */
const MAX_HELD_BYTES = MAX_HEADER_BYTES_OF_PART + 1;

/** A line that is not complete, of which the beginning is held. */
export class HeldLine {
  #buffer = new Uint8Array(1_024);
  #heldBytes = 0;
  /** Bytes of the line, its line end included. */
  length = 0;
  /** Whether bytes that are not held are more than a line end. */
  #isLonger = false;

  /** The line, with its line end, as far as it is held. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#heldBytes);
  }

  /** The line without its line end; of a line that is longer than is held, the beginning, which is over every limit. */
  get content(): Uint8Array {
    const { bytes } = this;
    return this.#isLonger ? bytes : bytes.subarray(0, contentEnd(bytes));
  }

  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    const held = bytes.subarray(0, MAX_HELD_BYTES - this.#heldBytes);
    if (contentEnd(bytes.subarray(held.length)) > 0) this.#isLonger = true;
    const length = this.#heldBytes + held.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(MAX_HELD_BYTES, Math.max(length, 2 * this.#buffer.length)));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(held, this.#heldBytes);
    this.#heldBytes = length;
  }

  clear(): void {
    this.#heldBytes = 0;
    this.length = 0;
    this.#isLonger = false;
  }
}

/** Where the line end begins. */
function contentEnd(line: Uint8Array): number {
  let end = line.length;
  while (end > 0 && (line[end - 1] === LF || line[end - 1] === CR)) end--;
  return end;
}
