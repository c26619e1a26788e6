import { R2BlobStore } from "../blobs/r2.ts";
import { isRowsKey, RowsBlobStore } from "../blobs/rows.ts";
import type { BlobStore } from "../blobs/store.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

/** Where a deployment writes large messages: its bucket, or rows of the mailbox where it has none. */
export function blobsForWriting(env: Env, mailbox: MailboxStub): BlobStore {
  const bucket: R2Bucket | undefined = env.BLOBS;
  return bucket === undefined ? rowsOf(mailbox) : new R2BlobStore(bucket);
}

/** Where a blob was written, which may be before the deployment got its bucket. */
export function blobsForReading(env: Env, mailbox: MailboxStub, key: string): BlobStore {
  return isRowsKey(key) ? rowsOf(mailbox) : blobsForWriting(env, mailbox);
}

function rowsOf(mailbox: MailboxStub): RowsBlobStore {
  return new RowsBlobStore({
    putChunk: async (key, position, bytes) => mailbox.putChunk(key, position, bytes),
    getChunk: async (key, position) => mailbox.getChunk(key, position),
    deleteChunks: async (keys) => mailbox.deleteChunks(keys),
  });
}
