/** A range of bytes; without `length` it goes to the end. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** Bytes in pieces, in order. A piece is valid until the next one is requested: its buffer may be reused. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Stores uploads, and messages that are too large for a row. A blob is written once, whole, before the row that names it, and
 * never changes. One conformance suite tests every implementation.
 */
export interface BlobStore {
  /** A new key; its form tells which store holds the blob. */
  newKey(owner: string, unique: string): string;
  /** Stores the parts as one blob. If it throws, nothing can be read under the key. */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * Stores pieces as they arrive, and requests a piece when the one before is written, so that memory holds a few MB at most.
   * If the pieces fail, it throws their error. If it throws, nothing is stored under the key.
   */
  write(key: string, pieces: Pieces): Promise<void>;
  /** The bytes, or a range of them, as a stream; null if there is no such blob. */
  get(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>;
  /** Erases blobs. A key without a blob is no error. */
  delete(keys: readonly string[]): Promise<void>;
}
