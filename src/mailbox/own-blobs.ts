import { R2BlobStore } from "../blobs/r2.ts";
import { isRowsKey, RowsBlobStore } from "../blobs/rows.ts";
import type { Database } from "../lib/sql.ts";
import * as statements from "./statements.ts";

/** A blob of this mailbox from its first byte, read by the mailbox itself. Throws if it is gone. */
export async function openOwnBlob(
  db: Database,
  bucket: R2Bucket | undefined,
  key: string,
): Promise<ReadableStream<Uint8Array>> {
  const store = isRowsKey(key) ? rowsOf(db) : bucket === undefined ? null : new R2BlobStore(bucket);
  const stream = await store?.get(key);
  if (!stream) throw new Error("A blob of a message is gone");
  return stream;
}

function rowsOf(db: Database): RowsBlobStore {
  return new RowsBlobStore({
    putChunk: async (key, position, bytes) => db.run(statements.PUT_CHUNK, key, position, bytes),
    getChunk: async (key, position) => db.first(statements.GET_CHUNK, key, position)?.bytes ?? null,
    deleteChunks: async (keys) => {
      for (const key of keys) db.run(statements.DELETE_CHUNKS, key);
    },
  });
}
