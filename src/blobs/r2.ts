import { chunksOf } from "./chunks.ts";
import type { BlobStore, ByteRange, Pieces } from "./store.ts";

/** Keys that one call to the bucket may erase. */
const MAX_KEYS_PER_DELETE = 1_000;
/** Of an upload in parts: the least that a bucket takes for any but the last one. */
export const PART_BYTES = 5_242_880;

/** Blobs as objects of a bucket. */
export class R2BlobStore implements BlobStore {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  newKey(owner: string, unique: string): string {
    return `${owner}/${unique}`;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const [only, ...others] = parts;
    if (only !== undefined && others.length === 0) {
      await this.#bucket.put(key, only);
      return;
    }
    // Several parts are streamed, so that no second copy of them is ever whole in memory.
    const total = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const { readable, writable } = new FixedLengthStream(total);
    const [, object] = await Promise.all([writeAll(writable, parts), this.#bucket.put(key, readable)]);
    if (object?.size !== total) throw new Error("The bucket kept another number of bytes than it was given");
  }

  /**
   * As an upload in parts of one size, aborted if it does not come to its end. A put takes a stream too, if its length is
   * known; but of one that breaks off the bucket of a local server keeps the beginning on disk, where nothing finds it.
   */
  async write(key: string, pieces: Pieces): Promise<void> {
    let upload: R2MultipartUpload | null = null;
    const parts: R2UploadedPart[] = [];
    try {
      for await (const part of chunksOf(pieces, PART_BYTES)) {
        if (upload === null && part.byteLength < PART_BYTES) {
          await this.#bucket.put(key, part);
          return;
        }
        upload ??= await this.#bucket.createMultipartUpload(key);
        parts.push(await upload.uploadPart(parts.length + 1, part));
      }
      if (upload === null) await this.#bucket.put(key, new Uint8Array());
      else await upload.complete(parts);
    } catch (error) {
      // An upload that cannot be aborted either is the bucket's to drop, which it does after a week.
      await upload?.abort().catch(() => {});
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
    if (range?.length === 0) return new Blob([]).stream();
    const object = await this.#bucket.get(key, range === undefined ? {} : { range });
    return object?.body ?? null;
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += MAX_KEYS_PER_DELETE) {
      await this.#bucket.delete(keys.slice(start, start + MAX_KEYS_PER_DELETE));
    }
  }
}

async function writeAll(writable: WritableStream<Uint8Array>, parts: readonly Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  for (const part of parts) await writer.write(part);
  await writer.close();
}
