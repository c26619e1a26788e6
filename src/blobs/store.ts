/** A range of bytes; without `length` to the end. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Where messages too large for a row lie. A blob is written once, whole, before the row that names it, and never changes.
 * One conformance suite runs over every implementation.
 */
export interface BlobStore {
  /** A key that this store can be found by again. */
  newKey(owner: string, unique: string): string;
  /** Stores the parts end to end. When it throws, nothing can be read under the key. */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;
  /** The bytes, or the range of them, as a stream; null if there is no such blob. */
  get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** Erases blobs; those that do not exist are no error. */
  delete(keys: readonly string[]): Promise<void>;
}
