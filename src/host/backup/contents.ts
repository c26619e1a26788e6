import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { CHUNK_BYTES } from "./format.ts";
import type { Pace } from "./pace.ts";
import type { Sealer } from "./seal.ts";
import type { Target } from "./target.ts";

/** The contents of a file, as a manifest has them. */
export interface Contents {
  size: number;
  sha256: string;
  chunks: string[];
}

/** Counts what a run reads and writes. */
export interface Counts {
  read: number;
  stored: number;
  chunks: number;
}

/** Stores files as chunks, each of them once. */
export class ContentStore {
  readonly counts: Counts = { read: 0, stored: 0, chunks: 0 };
  readonly #target: Target;
  readonly #sealer: Sealer;
  readonly #pace: Pace;

  constructor(target: Target, sealer: Sealer, pace: Pace) {
    this.#target = target;
    this.#sealer = sealer;
    this.#pace = pace;
  }

  /** Stores the contents of files, one after the other. Rejects with the error of the file system. */
  store(paths: readonly string[]): Promise<Contents> {
    return this.#storeChunks(chunksOf(paths));
  }

  /** Stores bytes that are held in memory. */
  storeBytes(bytes: Uint8Array): Promise<Contents> {
    const count = Math.ceil(bytes.byteLength / CHUNK_BYTES);
    const chunks = Array.from({ length: count }, (_, at) =>
      bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
    );
    return this.#storeChunks(chunks);
  }

  async #storeChunks(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Contents> {
    const whole = createHash("sha256");
    const chunks: string[] = [];
    let size = 0;
    for await (const chunk of pieces) {
      await this.#pace.spend(chunk.byteLength);
      whole.update(chunk);
      size += chunk.byteLength;
      chunks.push(await this.#keep(chunk));
    }
    return { size, sha256: whole.digest("hex"), chunks };
  }

  /** Whether the target still has all chunks of an earlier entry. */
  hasAll({ chunks }: Contents): boolean {
    return chunks.every((name) => this.#target.has(name));
  }

  async #keep(chunk: Uint8Array): Promise<string> {
    const name = this.#sealer.nameOf(chunk);
    this.counts.read += chunk.byteLength;
    if (!this.#target.has(name)) {
      const sealed = await this.#sealer.seal(chunk);
      await this.#target.put(name, sealed);
      this.counts.stored += sealed.byteLength;
      this.counts.chunks += 1;
    }
    return name;
  }
}

/** The bytes of files in chunks of `CHUNK_BYTES`; the last one is shorter. A chunk is valid until the next is requested. */
async function* chunksOf(paths: readonly string[]): AsyncGenerator<Uint8Array, void, void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  for (const file of paths) {
    const handle = await open(file, "r");
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, filled, CHUNK_BYTES - filled, null);
        if (bytesRead === 0) break;
        filled += bytesRead;
        if (filled < CHUNK_BYTES) continue;
        yield buffer;
        filled = 0;
      }
    } finally {
      await handle.close();
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
