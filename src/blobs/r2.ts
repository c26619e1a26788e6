import type { BlobStore, ByteRange } from "./store.ts";

/** Keys that one call to the bucket may erase. */
const MAX_KEYS_PER_DELETE = 1_000;

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
