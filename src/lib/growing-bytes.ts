/** First size of the buffer: most request bodies fit. */
const FIRST_BYTES = 4_096;

/** Joins pieces in one buffer, which doubles when it is full: a body that arrives byte by byte takes no more memory than one that arrives at once. */
export class GrowingBytes {
  #buffer = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.byteLength;
    if (length > this.#buffer.byteLength) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#buffer.byteLength));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  /** The bytes from `start` on, as a view that is valid until more are added. */
  from(start: number): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(start, this.#length);
  }
}
