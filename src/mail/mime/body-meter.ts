import { createHash, type Hash } from "node:crypto";
import type { ByteSpan } from "../large-body.ts";
import type { StartOfBody } from "./part-text.ts";
import { streamDecoder, type StreamDecoder } from "./stream-decoding.ts";
import type { BodyStart } from "./transfer-decoding.ts";

const LF = 0x0a;
const CR = 0x0d;
/** Bytes decoded at a time. */
const STEP_BYTES = 65_536;
/** First size of the kept beginning; it grows with the body. */
const FIRST_KEPT_BYTES = 4_096;
const RETURNS = new Uint8Array(1_024).fill(CR);
const LINE_FEED = Uint8Array.of(LF);

/** How the body of a part is read while it passes. */
export interface BodyPlan {
  /** The first token of Content-Transfer-Encoding. */
  encoding: string;
  /** Bytes of the decoded beginning that are kept. */
  keptBytes: number;
  /** Whether the decoded body is counted to its end; else it is read only as far as it is kept. */
  isFile: boolean;
  /** Whether the body of a file is digested. */
  isDigested: boolean;
}

/**
 * Measures, digests and decodes the body of one part as its lines pass, and keeps only the beginning. Stands in for the
 * parser's decoder. The line end before a delimiter is no part of the body, so each line end waits for the next line.
 */
export class BodyMeter implements StartOfBody {
  /** Where in the message the encoded body lies. */
  readonly span: ByteSpan;
  readonly #decoder: StreamDecoder | null;
  readonly #plan: BodyPlan;
  readonly #onEnd: () => void;
  readonly #hash: Hash | null;
  #kept = new Uint8Array(0);
  #keptLength = 0;
  #byteLength = 0;
  #isOver = false;
  /** The line end that waits: carriage returns, and whether a line feed follows them. */
  #returns = 0;
  #isLineEnded = false;

  /** `onEnd` is called when the parser finishes the part. */
  constructor(at: number, plan: BodyPlan, onEnd: () => void) {
    this.span = { from: at, to: at };
    this.#plan = plan;
    this.#onEnd = onEnd;
    this.#decoder = streamDecoder(plan.encoding);
    this.#hash = plan.isFile && plan.isDigested ? createHash("sha256") : null;
  }

  /** Size of the decoded body, in bytes; of a text, as far as it was read. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** SHA-256 of the decoded body in hex, once; "" unless it is digested. */
  digest(): string {
    return this.#hash?.digest("hex") ?? "";
  }

  /** The decoded beginning, as far as it was kept. */
  start(maxBytes: number): BodyStart {
    const bytes = this.#kept.subarray(0, Math.min(maxBytes, this.#keptLength));
    return { bytes, isWhole: this.#byteLength <= maxBytes && this.#byteLength === this.#keptLength };
  }

  /** Lets go of the body: it is what stands before the first part of a multipart. */
  discard(): void {
    this.#isOver = true;
    this.#kept = new Uint8Array(0);
    this.#keptLength = 0;
  }

  /** Takes the next bytes of the body, cut anywhere. */
  update(bytes: Uint8Array): void {
    if (this.#isOver) return;
    const start = this.#takeLineEnd(bytes);
    if (start === bytes.length) return;
    this.#releaseLineEnd();
    const end = this.#withoutLineEnd(bytes, start);
    this.#pass(bytes.subarray(start, end));
  }

  finalize(): Promise<Uint8Array> {
    if (!this.#isOver && this.#decoder !== null) {
      const rest = new Uint8Array(this.#decoder.room(0));
      this.#take(rest.subarray(0, this.#decoder.end(rest)));
    }
    this.#isOver = true;
    this.#onEnd();
    return Promise.resolve(new Uint8Array(0));
  }

  /** Completes a line end that the piece before began. Returns where the rest of `bytes` starts. */
  #takeLineEnd(bytes: Uint8Array): number {
    let at = 0;
    if (this.#isLineEnded || this.#returns === 0) return at;
    while (bytes[at] === CR) at++;
    this.#returns += at;
    if (bytes[at] !== LF) return at;
    this.#isLineEnded = true;
    return at + 1;
  }

  /** The line end that waited lies within the body. */
  #releaseLineEnd(): void {
    for (let left = this.#returns; left > 0; left -= RETURNS.length) {
      this.#pass(RETURNS.subarray(0, Math.min(left, RETURNS.length)));
    }
    if (this.#isLineEnded) this.#pass(LINE_FEED);
    this.#returns = 0;
    this.#isLineEnded = false;
  }

  #withoutLineEnd(bytes: Uint8Array, start: number): number {
    let end = bytes.length;
    if (bytes[end - 1] === LF) {
      this.#isLineEnded = true;
      end--;
    }
    const lineEnd = end;
    while (end > start && bytes[end - 1] === CR) end--;
    this.#returns = lineEnd - end;
    return end;
  }

  #pass(bytes: Uint8Array): void {
    this.span.to += bytes.length;
    if (!this.#plan.isFile && this.#byteLength > this.#plan.keptBytes) return;
    if (this.#decoder === null) {
      this.#take(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      const piece = bytes.subarray(at, at + STEP_BYTES);
      const room = this.#decoder.room(piece.length);
      if (scratch.length < room) scratch = new Uint8Array(room);
      if (this.#isOnlyCounted) this.#byteLength += this.#decoder.count(piece, scratch);
      else this.#take(scratch.subarray(0, this.#decoder.decode(piece, scratch)));
    }
  }

  /** Whether nobody reads what follows. */
  get #isOnlyCounted(): boolean {
    return this.#hash === null && this.#keptLength >= this.#plan.keptBytes;
  }

  #take(decoded: Uint8Array): void {
    if (decoded.length === 0) return;
    this.#byteLength += decoded.length;
    this.#hash?.update(decoded);
    const kept = decoded.subarray(0, this.#plan.keptBytes - this.#keptLength);
    if (kept.length === 0) return;
    const length = this.#keptLength + kept.length;
    if (length > this.#kept.length) this.#grow(length);
    this.#kept.set(kept, this.#keptLength);
    this.#keptLength = length;
  }

  #grow(length: number): void {
    const bytes = Math.max(length, FIRST_KEPT_BYTES, 2 * this.#kept.length);
    const larger = new Uint8Array(Math.min(bytes, this.#plan.keptBytes));
    larger.set(this.#kept.subarray(0, this.#keptLength));
    this.#kept = larger;
  }
}

/** The result of one decoding step: used within one call only. */
let scratch = new Uint8Array(STEP_BYTES);
