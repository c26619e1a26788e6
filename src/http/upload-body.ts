import { createHash } from "node:crypto";
import { invalid, type Problem } from "../contract/problem.ts";

/** Read at a time: in pieces of the 4 KB that a reader gets who names no size, 100 MB take eight times as long. */
const READ_BYTES = 65_536;

/** How long a body may take, in ms: well before the room that is kept for it is given up. */
export const MAX_UPLOAD_MS = 55 * 60_000;

const TOO_SLOW: Problem = {
  code: "unavailable",
  error: `The upload took too long (max ${MAX_UPLOAD_MS / 60_000} minutes); try again`,
};

const NOT_AS_ANNOUNCED: Problem = invalid("body", "broke off, or is not as long as its Content-Length says");

/** Why a body was not read to its end. */
export class UploadFault extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.error);
    this.problem = problem;
  }
}

/** The body of an upload, counted and digested on its way. It is read once. */
export class UploadBody {
  readonly #stream: ReadableStream<Uint8Array> | null;
  readonly #limits: UploadLimits;
  readonly #hash = createHash("sha256");
  #sizeBytes = 0;

  constructor(stream: ReadableStream<Uint8Array> | null, limits: UploadLimits) {
    this.#stream = stream;
    this.#limits = limits;
  }

  /** Bytes so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Of what was read, in lower-case hex; asked for once, at the end. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  /** The bytes piece by piece, all in one buffer. Throws UploadFault when there are too many, or when they break off. */
  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    const { announcedBytes, endsAt } = this.#limits;
    const reader = this.#stream?.getReader({ mode: "byob" });
    try {
      for (let buffer = new ArrayBuffer(READ_BYTES); reader !== undefined;) {
        const read = await reader.read(new Uint8Array(buffer)).catch(() => {
          throw new UploadFault(NOT_AS_ANNOUNCED);
        });
        if (read.done) break;
        this.#count(read.value);
        if (Date.now() > endsAt) throw new UploadFault(TOO_SLOW);
        yield read.value;
        buffer = read.value.buffer;
      }
      if (announcedBytes !== null && this.#sizeBytes !== announcedBytes) {
        throw new UploadFault(NOT_AS_ANNOUNCED);
      }
    } finally {
      // Whoever stops here wants no more of it; what was read to its end does not mind.
      void reader?.cancel().catch(() => {});
    }
  }

  #count(piece: Uint8Array): void {
    const { maxBytes, beyond, announcedBytes } = this.#limits;
    this.#sizeBytes += piece.byteLength;
    if (this.#sizeBytes > maxBytes)
      throw new UploadFault(announcedBytes === null ? beyond : NOT_AS_ANNOUNCED);
    this.#hash.update(piece);
  }
}

/** What a body may be. */
export interface UploadLimits {
  /** As its Content-Length says; null without one. */
  announcedBytes: number | null;
  maxBytes: number;
  /** What is wrong with a byte more. */
  beyond: Problem;
  /** ms since 1970. */
  endsAt: number;
}
