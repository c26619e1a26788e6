import { BREATH_BYTES, breath } from "../lib/breath.ts";
import { BUCKET_TIMEOUT_MS, inTime } from "./bucket-call.ts";
import { chunksOf } from "./chunks.ts";
import type { BlobStore, ByteRange, Pieces } from "./store.ts";

/** The most keys that one call to the bucket may erase. */
const MAX_KEYS_PER_DELETE = 1_000;
/** The smallest part of a multipart upload, except the last. */
export const PART_BYTES = 5_242_880;

/** Blobs as objects of a bucket. */
export class R2BlobStore implements BlobStore {
  readonly #bucket: R2Bucket;
  readonly #timeoutMs: number;

  constructor(bucket: R2Bucket, timeoutMs = BUCKET_TIMEOUT_MS) {
    this.#bucket = bucket;
    this.#timeoutMs = timeoutMs;
  }

  newKey(owner: string, unique: string): string {
    return `${owner}/${unique}`;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const [only, ...others] = parts;
    if (only !== undefined && others.length === 0) {
      await this.#putBytes(key, only);
      return;
    }
    // Several parts are streamed, so that memory never holds a second copy of them all.
    const total = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const stored = streamed(parts, (body) => this.#bucket.put(key, body));
    expectSize(await this.#within(stored), total);
  }

  /**
   * Writes a multipart upload with parts of one size, and aborts it if the source fails. `put` takes a stream of known length
   * too, but if it breaks off, the local bucket keeps the beginning on disk, where nothing finds it.
   */
  async write(key: string, pieces: Pieces): Promise<void> {
    let upload: R2MultipartUpload | null = null;
    let total = 0;
    const parts: R2UploadedPart[] = [];
    try {
      for await (const part of chunksOf(pieces, PART_BYTES)) {
        if (upload === null && part.byteLength < PART_BYTES) {
          await this.#putBytes(key, part);
          return;
        }
        const open = (upload ??= await this.#within(this.#bucket.createMultipartUpload(key)));
        total += part.byteLength;
        parts.push(await this.#within(open.uploadPart(parts.length + 1, part)));
      }
      if (upload === null) await this.#putBytes(key, new Uint8Array());
      else expectSize(await this.#within(upload.complete(parts)), total);
    } catch (error) {
      // The bucket itself drops an upload that was not aborted after a week.
      if (upload !== null) await this.#within(upload.abort()).catch(() => {});
      throw error;
    }
  }

  async #putBytes(key: string, bytes: Uint8Array): Promise<void> {
    expectSize(await this.#within(this.#bucket.put(key, bytes)), bytes.byteLength);
  }

  #within<T>(call: Promise<T>): Promise<T> {
    return inTime(call, this.#timeoutMs);
  }

  async get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
    if (range?.length === 0) return new Blob([]).stream();
    const object = await this.#within(this.#bucket.get(key, range === undefined ? {} : { range }));
    return object?.body ?? null;
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += MAX_KEYS_PER_DELETE) {
      await this.#within(this.#bucket.delete(keys.slice(start, start + MAX_KEYS_PER_DELETE)));
    }
  }
}

function expectSize(object: { size: number } | null, size: number): void {
  if (object?.size !== size) throw new Error("The bucket kept another number of bytes than it was given");
}

/** Joins `parts` to one stream of known length. */
async function streamed<T>(
  parts: readonly Uint8Array[],
  take: (body: ReadableStream) => Promise<T>,
): Promise<T> {
  const total = parts.reduce((sum, part) => sum + part.byteLength, 0);
  const { readable, writable } = new FixedLengthStream(total);
  const [, taken] = await Promise.all([writeAll(writable, parts), take(readable)]);
  return taken;
}

async function writeAll(writable: WritableStream<Uint8Array>, parts: readonly Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  for (const part of parts) {
    for (let at = 0; at < part.byteLength; at += BREATH_BYTES) {
      await writer.write(part.subarray(at, at + BREATH_BYTES));
      await breath();
    }
  }
  await writer.close();
}
