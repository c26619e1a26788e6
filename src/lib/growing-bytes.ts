/** What the buffer begins with: most bodies of a request fit. */
const FIRST_BYTES = 4_096;

/** Bytes laid end to end in one buffer, which doubles when it is full: what comes byte by byte takes no more room than at once. */
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

  /** What was added from `start` on: a view that is good until more is added. */
  from(start: number): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(start, this.#length);
  }
}
