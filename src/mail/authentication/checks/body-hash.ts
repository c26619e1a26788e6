import { createHash, type Hash } from "node:crypto";
import type { Canonicalization } from "./header-fields.ts";

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const OUTPUT_BYTES = 16 * 1024;

/** SHA-256 of a body in canonical form (RFC 6376 §3.4.3, §3.4.4), while the body streams. A bare line feed counts as CR LF. */
export class BodyHash {
  readonly #hash: Hash = createHash("sha256");
  readonly #isRelaxed: boolean;
  readonly #output = Buffer.allocUnsafe(OUTPUT_BYTES);
  #used = 0;
  /** Line ends that count only if something follows. */
  #lines = 0;
  #hasBlank = false;
  #hasCr = false;
  #length = 0;

  constructor(how: Canonicalization) {
    this.#isRelaxed = how === "relaxed";
  }

  /** Takes the next bytes of the body. */
  push(bytes: Uint8Array): void {
    const isRelaxed = this.#isRelaxed;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === LF) {
        this.#endLine();
      } else {
        if (this.#hasCr) this.#settleCr();
        if (byte === CR) this.#hasCr = true;
        else if (isRelaxed && (byte === SPACE || byte === TAB)) this.#hasBlank = true;
        else at = this.#copyRun(bytes, at) - 1;
      }
    }
  }

  /** The hash and the length of the canonical body, in bytes. */
  finish(): { digest: Buffer; length: number } {
    if (this.#hasCr) this.#settleCr();
    // A body always ends with a line end; one without content has it in the simple form only.
    if (this.#length > 0 || !this.#isRelaxed) this.#writeLineEnds(1);
    this.#flush();
    return { digest: this.#hash.digest(), length: this.#length };
  }

  /** Copies bytes that mean themselves, in the relaxed form words with single spaces between them; returns the offset behind them. */
  #copyRun(bytes: Uint8Array, from: number): number {
    this.#put(bytes[from] ?? 0);
    let end = from + 1;
    let used = this.#used;
    const output = this.#output;
    const isRelaxed = this.#isRelaxed;
    for (; end < bytes.length && used < OUTPUT_BYTES; end += 1) {
      const byte = bytes[end] ?? 0;
      if (byte === LF || byte === CR) break;
      if (isRelaxed && byte <= SPACE && isGap(byte, bytes[end + 1])) break;
      output[used++] = byte;
    }
    this.#length += used - this.#used;
    this.#used = used;
    if (used === OUTPUT_BYTES) this.#flush();
    return end;
  }

  #endLine(): void {
    this.#hasCr = false;
    this.#hasBlank = false;
    this.#lines += 1;
  }

  /** A CR that no line feed followed is a byte like any other. */
  #settleCr(): void {
    this.#hasCr = false;
    this.#put(CR);
  }

  #put(byte: number): void {
    if (this.#lines > 0) this.#writeLineEnds(this.#lines);
    if (this.#hasBlank) this.#write(SPACE);
    this.#hasBlank = false;
    this.#write(byte);
  }

  #writeLineEnds(count: number): void {
    for (let line = 0; line < count; line += 1) {
      this.#write(CR);
      this.#write(LF);
    }
    this.#lines = 0;
  }

  #write(byte: number): void {
    this.#output[this.#used++] = byte;
    this.#length += 1;
    if (this.#used === OUTPUT_BYTES) this.#flush();
  }

  #flush(): void {
    this.#hash.update(this.#output.subarray(0, this.#used));
    this.#used = 0;
  }
}

/** Whether a byte is a blank that may change in the relaxed form: only a single space between words surely stays. */
function isGap(byte: number, next = 0): boolean {
  return byte === TAB || (byte === SPACE && next <= SPACE);
}
