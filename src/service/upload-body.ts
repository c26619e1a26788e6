import { createHash } from "node:crypto";
import { invalid, type Problem } from "../contract/problem.ts";

/** The longest time for a body, in ms: shorter than its room stays reserved. */
export const MAX_UPLOAD_MS = 55 * 60_000;

const TOO_SLOW: Problem = {
  code: "unavailable",
  error: `The upload took too long (max ${MAX_UPLOAD_MS / 60_000} minutes); try again`,
};

const NOT_AS_ANNOUNCED: Problem = invalid("body", "broke off, or is not as long as its Content-Length says");

/** Stops the reading of a body, with the reason. */
export class UploadFault extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.error);
    this.problem = problem;
  }
}

/** The bytes of an upload, counted and digested on their way. They are read once. */
export class UploadBody {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #limits: UploadLimits;
  readonly #hash = createHash("sha256");
  #sizeBytes = 0;

  constructor(source: AsyncIterable<Uint8Array>, limits: UploadLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  /** Bytes that were read so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The digest of the bytes in lower-case hex; called once, at the end. */
  sha256(): string {
    return this.#hash.digest("hex");
  }

  /** The bytes piece by piece. Throws UploadFault if there are too many, or if they end early. */
  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    const { announcedBytes, endsAt } = this.#limits;
    for await (const piece of unbroken(this.#source)) {
      this.#count(piece);
      if (Date.now() > endsAt) throw new UploadFault(TOO_SLOW);
      yield piece;
    }
    if (announcedBytes !== null && this.#sizeBytes !== announcedBytes) {
      throw new UploadFault(NOT_AS_ANNOUNCED);
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

async function* unbroken(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* source;
  } catch (error) {
    throw error instanceof UploadFault ? error : new UploadFault(NOT_AS_ANNOUNCED);
  }
}

/** The limits of a body. */
export interface UploadLimits {
  /** As its Content-Length says; null without one. */
  announcedBytes: number | null;
  maxBytes: number;
  /** The refusal of a longer body. */
  beyond: Problem;
  /** ms since 1970. */
  endsAt: number;
}
