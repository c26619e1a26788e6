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
    await this.write(
      key,
      parts,
      parts.reduce((sum, part) => sum + part.byteLength, 0),
    );
  }

  async write(key: string, pieces: Pieces, sizeBytes: number | null): Promise<void> {
    await (sizeBytes === null ? this.#writeParts(key, pieces) : this.#writeSized(key, pieces, sizeBytes));
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

  /** A put takes a stream whose length is known. It is one call, keeps nothing here, and leaves nothing if it breaks off. */
  async #writeSized(key: string, pieces: Pieces, sizeBytes: number): Promise<void> {
    const { readable, writable } = new FixedLengthStream(sizeBytes);
    const writer = writable.getWriter();
    const fed = feed(writer, pieces);
    const stored = this.#bucket.put(key, readable);
    // Whichever fails ends the other, which would wait for it for ever.
    for (const half of [fed, stored]) half.catch((error: unknown) => writer.abort(error)).catch(() => {});
    try {
      const [, object] = await Promise.all([fed, stored]);
      if (object?.size !== sizeBytes) {
        throw new Error("The bucket kept another number of bytes than it was given");
      }
    } catch (error) {
      await Promise.allSettled([fed, stored]);
      throw error;
    }
  }

  /** Where the length is not known: an upload in parts of one size, aborted if it does not come to its end. */
  async #writeParts(key: string, pieces: Pieces): Promise<void> {
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
}

async function feed(writer: WritableStreamDefaultWriter<Uint8Array>, pieces: Pieces): Promise<void> {
  for await (const piece of pieces) await writer.write(piece);
  await writer.close();
}
