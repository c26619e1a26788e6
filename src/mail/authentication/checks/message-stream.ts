import { BodyHash } from "./body-hash.ts";
import type { Canonicalization } from "./header-fields.ts";

/** Bytes of a header that are read. Real ones stay below 64 KiB. */
export const MAX_HEADER_BYTES = 1024 * 1024;
/** Lines of a header that are read: 330,000 of them would take 0.8 s. Real headers have at most some thousand. */
export const MAX_HEADER_LINES = 10_000;

const CR = 0x0d;
const LF = 0x0a;

/** A body in one canonical form. */
export interface HashedBody {
  digest: Buffer;
  length: number;
}

/**
 * Splits a message that streams into its header, which is kept, and its body, of which only hashes are. `onHeader` is told the
 * header as soon as it is whole (null if it is longer than {@link MAX_HEADER_BYTES} or {@link MAX_HEADER_LINES}) and answers which forms of the body are needed.
 */
export class MessageStream {
  readonly #onHeader: (header: Buffer | null) => Iterable<Canonicalization>;
  #header: Buffer[] = [];
  #headerBytes = 0;
  #headerLines = 0;
  /** `start`: the line so far holds nothing but carriage returns, so a line feed ends the header. */
  #state: "line" | "start" = "start";
  #bodies: Map<Canonicalization, BodyHash> | null = null;

  constructor(onHeader: (header: Buffer | null) => Iterable<Canonicalization>) {
    this.#onHeader = onHeader;
  }

  /** Takes the next bytes; they may be changed after the call. */
  push(bytes: Uint8Array): void {
    if (this.#bodies === null) this.#pushHeader(bytes);
    else for (const body of this.#bodies.values()) body.push(bytes);
  }

  /** The hashes of the body. */
  finish(): Map<Canonicalization, HashedBody> {
    // A message may end with its header.
    const bodies = this.#bodies ?? this.#endHeader();
    return new Map([...bodies].map(([form, body]) => [form, body.finish()]));
  }

  #pushHeader(bytes: Uint8Array): void {
    const end = this.#headerEnd(bytes);
    const part = end === -1 ? bytes : bytes.subarray(0, end);
    this.#headerBytes += part.length;
    if (!this.#isTooLong) this.#header.push(Buffer.from(part));
    else this.#header = [];
    if (end === -1) return;
    this.#endHeader();
    this.push(bytes.subarray(end));
  }

  /** The offset behind the empty line that ends the header; -1 if it is not among these bytes. */
  #headerEnd(bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (this.#state === "line") {
        const next = bytes.indexOf(LF, at);
        if (next === -1) return -1;
        at = next;
        this.#headerLines += 1;
        this.#state = "start";
      } else if (byte === LF) {
        return at + 1;
      } else {
        // As for the reader of what is shown (`isEmptyLine`), a line of carriage returns alone is empty: else a line put into a
        // signed header would be shown as the beginning of the body, which the signature does not cover.
        this.#state = byte === CR ? "start" : "line";
      }
    }
    return -1;
  }

  get #isTooLong(): boolean {
    return this.#headerBytes > MAX_HEADER_BYTES || this.#headerLines > MAX_HEADER_LINES;
  }

  #endHeader(): Map<Canonicalization, BodyHash> {
    const header = this.#isTooLong ? null : Buffer.concat(this.#header);
    this.#header = [];
    this.#bodies = new Map(Array.from(this.#onHeader(header), (form) => [form, new BodyHash(form)]));
    return this.#bodies;
  }
}
