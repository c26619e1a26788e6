import { inTime } from "../../blobs/bucket-call.ts";
import { CHUNK_BYTES, isRowsKey } from "../../blobs/rows.ts";
import type { BlobStore } from "../../blobs/store.ts";

/** Read at once; of a blob in rows it is one row. */
const RANGE_BYTES = CHUNK_BYTES;

/**
 * A blob of this mailbox of so many bytes from its first one, read by the mailbox itself; a piece is good until the next is
 * asked for. It is read range by range: a peer may take minutes for it, so long no bucket has to keep a body open, and the
 * bucket of a local server holds all of a body in memory. Throws if the blob is gone.
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
    if (!stream) throw new Error("A blob of a message is gone");
    const bytes = await inTime(new Response(stream).arrayBuffer());
    // Else a message would go out with less than it says, and look whole.
    if (bytes.byteLength !== length) throw new Error("A blob of a message was read in part");
    yield new Uint8Array(bytes);
    // Let go of now: left to the collector, tens of megabytes would pile up first.
    bytes.transfer(0);
  }
}
