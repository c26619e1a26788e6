/** A range of bytes; without `length` to the end. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** Bytes in pieces, laid end to end. A piece is good until the next one is asked for: its buffer may be used again. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Where messages too large for a row, and uploads, lie. A blob is written once, whole, before the row that names it, and never
 * changes. One conformance suite runs over every implementation.
 */
export interface BlobStore {
  /** A key that this store can be found by again. */
  newKey(owner: string, unique: string): string;
  /** Stores the parts end to end. When it throws, nothing can be read under the key. */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Stores pieces as they come, asking for one when the one before is out of its hands: at no time are more than a few MB of
   * them held. When it throws, which it does with the error of the pieces if they end in one, nothing is kept under the key.
   */
  write(key: string, pieces: Pieces): Promise<void>;
  /** The bytes, or the range of them, as a stream; null if there is no such blob. */
  get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** Erases blobs; those that do not exist are no error. */
  delete(keys: readonly string[]): Promise<void>;
}
