/** Reads a range of bytes of a source, such as a file or a blob: `length` of them, or fewer at the end. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;

/** Bytes that are read at once. */
const READ_BYTES = 1_000_000;

/** A buffer over a source of bytes that is read mostly from front to end: it reads large pieces, so that reads are few. */
export class Window {
  readonly sizeBytes: number;
  readonly #read: ReadRange;
  #bytes = new Uint8Array();
  #start = 0;

  /** @param sizeBytes how many bytes there are. */
  constructor(sizeBytes: number, read: ReadRange) {
    this.sizeBytes = sizeBytes;
    this.#read = read;
  }

  /** The bytes from `offset` on: `length`, or fewer at the end. They are valid until the next call. */
  async at(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.sizeBytes - offset));
    if (wanted === 0) return new Uint8Array();
    const end = this.#start + this.#bytes.length;
    if (offset < this.#start || offset + wanted > end) {
      const kept =
        offset >= this.#start && offset < end ? this.#bytes.subarray(offset - this.#start) : new Uint8Array();
      const missing = Math.min(
        Math.max(READ_BYTES, wanted - kept.length),
        this.sizeBytes - offset - kept.length,
      );
      const more = await this.#read(offset + kept.length, missing);
      if (more.length !== missing) throw new Error("Bytes of an archive are missing");
      const joined = new Uint8Array(kept.length + more.length);
      joined.set(kept);
      joined.set(more, kept.length);
      this.#bytes = joined;
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + wanted);
  }
}
