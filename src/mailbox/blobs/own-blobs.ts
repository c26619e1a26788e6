import { inTime } from "../../blobs/bucket-call.ts";
import { CHUNK_BYTES, isRowsKey } from "../../blobs/rows.ts";
import type { BlobStore } from "../../blobs/store.ts";

/** Bytes read at once: one row of a blob in rows. */
const RANGE_BYTES = CHUNK_BYTES;

/**
 * Reads the first `sizeBytes` of a blob of this mailbox. Each piece is valid until the next one is requested. The blob is
 * read in ranges: a peer may take minutes to receive it, so no body of the bucket stays open meanwhile, and a local
 * server's bucket holds a whole body in memory. Throws if the blob is missing or shorter.
 */
export async function* readOwnBlob(
  rows: BlobStore,
  bucket: BlobStore | null,
  { key, sizeBytes }: { key: string; sizeBytes: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const store = isRowsKey(key) ? rows : bucket;
  for (let offset = 0; offset < sizeBytes; offset += RANGE_BYTES) {
    const length = Math.min(RANGE_BYTES, sizeBytes - offset);
    const stream = await store?.get(key, { offset, length });
    if (!stream) throw new Error("A blob of a message is missing");
    const bytes = await inTime(new Response(stream).arrayBuffer());
    // A shorter message would look complete.
    if (bytes.byteLength !== length) throw new Error("A blob of a message was read in part");
    yield new Uint8Array(bytes);
    // Frees the memory now: until garbage collection, tens of megabytes would accumulate.
    bytes.transfer(0);
  }
}
