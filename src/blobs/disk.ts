import { BREATH_BYTES, breath } from "../lib/breath.ts";
import { diskKey, fileOfKey, isDiskKey } from "../lib/disk-key.ts";
import { inTime } from "./bucket-call.ts";
import type { BlobStore, ByteRange, Pieces } from "./store.ts";

/** Bytes that are written before other requests have their turn: they take some 10 ms. */
const TURN_BYTES = 64 * BREATH_BYTES;

/** Syncs the file of a blob to disk. */
export type BlobDisk = Pick<Fetcher, "fetch">;

/**
 * Blobs as files of this machine, in the folder of the local bucket. The runtime writes and reads them by itself, in a tenth of the
 * time that the bucket takes, which passes each 4 KB through scripts of its own. What earlier releases stored in the bucket
 * is read there.
 */
export class DiskBlobStore implements BlobStore {
  readonly #files: Pick<Fetcher, "fetch">;
  readonly #disk: BlobDisk;
  readonly #bucket: BlobStore;

  /**
   * @param files writes, reads and erases files by their names
   * @param disk syncs what was written
   * @param bucket has the blobs whose keys are of another form
   */
  constructor(files: Pick<Fetcher, "fetch">, disk: BlobDisk, bucket: BlobStore) {
    this.#files = files;
    this.#disk = disk;
    this.#bucket = bucket;
  }

  newKey(owner: string, unique: string): string {
    return diskKey(owner, unique);
  }

  put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.write(key, parts);
  }

  async write(key: string, pieces: Pieces): Promise<void> {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const request = { method: "PUT", body: readable };
    const stored = this.#files.fetch(urlOf(key), request).then(({ ok, status }) => {
      if (!ok) throw new Error(`A file was not written: ${status}`);
    });
    // If the file cannot be written, no more pieces are requested.
    stored.catch(async (error: unknown) => writer.abort(error).catch(() => {}));
    try {
      await writeAll(writer, pieces);
      await stored;
      await this.#sync(key);
    } catch (error) {
      // A file that breaks off gets its name all the same.
      await Promise.allSettled([writer.abort(error), stored]);
      await this.delete([key]).catch(() => {});
      throw error;
    }
  }

  async #sync(key: string): Promise<void> {
    const named = new URLSearchParams({ key }).toString();
    const { ok } = await inTime(this.#disk.fetch(`http://disk/sync?${named}`));
    if (!ok) throw new Error("A blob could not be brought onto the disk");
  }

  async get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
    if (!isDiskKey(key)) return this.#bucket.get(key, range);
    if (range?.length === 0) return new Blob([]).stream();
    const headers: HeadersInit =
      range === undefined ? {} : { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
    const read = await inTime(this.#files.fetch(urlOf(key), { headers }));
    if (read.status === 404) return null;
    if (!read.ok) throw new Error(`A file could not be read: ${read.status}`);
    return read.body;
  }

  async delete(keys: readonly string[]): Promise<void> {
    const older = keys.filter((key) => !isDiskKey(key));
    if (older.length > 0) await this.#bucket.delete(older);
    for (const key of keys.filter(isDiskKey)) {
      const { ok, status } = await inTime(this.#files.fetch(urlOf(key), { method: "DELETE" }));
      if (!ok && status !== 404) throw new Error(`A file could not be erased: ${status}`);
    }
  }
}

function urlOf(key: string): string {
  return `http://files/${fileOfKey(key)}`;
}

async function writeAll(writer: WritableStreamDefaultWriter<Uint8Array>, pieces: Pieces): Promise<void> {
  let unbreathed = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += BREATH_BYTES) {
      const part = piece.subarray(at, at + BREATH_BYTES);
      await writer.write(part);
      unbreathed += part.byteLength;
      if (unbreathed < TURN_BYTES) continue;
      unbreathed = 0;
      await breath();
    }
  }
  await writer.close();
}
