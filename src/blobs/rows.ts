import { chunksOf } from "./chunks.ts";
import type { BlobStore, ByteRange, Pieces } from "./store.ts";

/** Bytes of one row, well under the 2 MB that a row of the platform may hold. */
export const CHUNK_BYTES = 1_000_000;

/** Bytes that are read at once. */
const READ_BYTES = 262_144;

/** Rows of bytes in the mailbox's database, which the actor offers by RPC. */
export interface ChunkRows {
  putChunk(key: string, position: number, bytes: ArrayBuffer): Promise<void>;
  /** A row, or `length` of its bytes from `offset` on; null past the last row. */
  getChunk(key: string, position: number, offset?: number, length?: number): Promise<ArrayBuffer | null>;
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

  /** Each read is small and made when the reader asks for it: readers that do not read hold little. */
  async get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
    if (range?.length === 0) return new Blob([]).stream();
    const to = range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;
    let at = range?.offset ?? 0;
    const read = (): Promise<ArrayBuffer | null> => {
      const offset = at % CHUNK_BYTES;
      const length = Math.min(READ_BYTES, CHUNK_BYTES - offset, to - at);
      return this.#rows.getChunk(key, Math.floor(at / CHUNK_BYTES), offset, length);
    };
    let first = await read();
    if (first === null) return null;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const bytes = first ?? (at < to ? await read() : null);
          first = null;
          // No row follows, or the last one has no more.
          if (bytes === null || bytes.byteLength === 0) return controller.close();
          at += bytes.byteLength;
          controller.enqueue(new Uint8Array(bytes));
        },
      },
      { highWaterMark: 0 },
    );
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.#rows.deleteChunks(keys);
  }
}
