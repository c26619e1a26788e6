import { chunksOf } from "./chunks.ts";
import type { BlobStore, ByteRange, Pieces } from "./store.ts";

/** Bytes of one row, well under the 2 MB that a row of the platform may hold. */
export const CHUNK_BYTES = 1_000_000;

/** Rows of bytes in the mailbox's database, which the actor offers by RPC. */
export interface ChunkRows {
  putChunk(key: string, position: number, bytes: ArrayBuffer): Promise<void>;
  /** Null past the end. */
  getChunk(key: string, position: number): Promise<ArrayBuffer | null>;
  deleteChunks(keys: readonly string[]): Promise<void>;
}

const PREFIX = "rows:";

/** Whether a key names a blob that is stored as rows. */
export function isRowsKey(key: string): boolean {
  return key.startsWith(PREFIX);
}

/** Stores blobs as rows of the mailbox, for a deployment without a bucket. */
export class RowsBlobStore implements BlobStore {
  readonly #rows: ChunkRows;

  constructor(rows: ChunkRows) {
    this.#rows = rows;
  }

  newKey(_owner: string, unique: string): string {
    return `${PREFIX}${unique}`;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    await this.write(key, parts);
  }

  async write(key: string, pieces: Pieces): Promise<void> {
    let position = 0;
    try {
      for await (const chunk of chunksOf(pieces, CHUNK_BYTES)) {
        const { byteLength, buffer } = chunk;
        await this.#rows.putChunk(key, position, byteLength === CHUNK_BYTES ? buffer : chunk.slice().buffer);
        position += 1;
      }
      if (position === 0) await this.#rows.putChunk(key, 0, new ArrayBuffer(0));
    } catch (error) {
      // If this fails, the reservation of the blob erases it later.
      await this.#rows.deleteChunks([key]).catch(() => {});
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
    if (range?.length === 0) return new Blob([]).stream();
    const from = range?.offset ?? 0;
    const to = range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;
    let position = Math.floor(from / CHUNK_BYTES);
    const rows = this.#rows;
    const first = await rows.getChunk(key, position);
    if (first === null) return null;
    let next: ArrayBuffer | null = first;
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        const start = position * CHUNK_BYTES;
        if (next === null || start >= to) {
          controller.close();
          return;
        }
        const bytes = new Uint8Array(next).subarray(
          Math.max(0, from - start),
          Math.min(CHUNK_BYTES, to - start),
        );
        if (bytes.byteLength > 0) controller.enqueue(bytes);
        position += 1;
        next = position * CHUNK_BYTES >= to ? null : await rows.getChunk(key, position);
      },
    });
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.#rows.deleteChunks(keys);
  }
}
