import { bucketOf } from "../blobs/bucket.ts";
import { isRowsKey, RowsBlobStore } from "../blobs/rows.ts";
import type { BlobStore } from "../blobs/store.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

/** Raw messages and files up to this size are rows of the mailbox: no second system, and a tenth of the time of a blob. */
export const MAX_ROW_BYTES = 524_288;

/** Where a deployment writes large messages: its bucket, or rows of the mailbox where it has none. */
export function blobsForWriting(env: Env, mailbox: MailboxStub): BlobStore {
  return bucketOf(env) ?? rowsOf(mailbox);
}

/** Where a file is written; `sizeBytes` is null where nobody knows it yet. */
export function blobsForFile(env: Env, mailbox: MailboxStub, sizeBytes: number | null): BlobStore {
  const isSmall = sizeBytes !== null && sizeBytes <= MAX_ROW_BYTES;
  return isSmall ? rowsOf(mailbox) : blobsForWriting(env, mailbox);
}

/** Where a blob was written, which may be before the deployment got its bucket. */
export function blobsForReading(env: Env, mailbox: MailboxStub, key: string): BlobStore {
  return isRowsKey(key) ? rowsOf(mailbox) : blobsForWriting(env, mailbox);
}

/** Rows of the mailbox: where the texts of large messages always lie. */
export function rowsOf(mailbox: MailboxStub): RowsBlobStore {
  return new RowsBlobStore({
    putChunk: async (key, position, bytes) => mailbox.putChunk(key, position, bytes),
    getChunk: async (...part) => mailbox.getChunk(...part),
    deleteChunks: async (keys) => mailbox.deleteChunks(keys),
  });
}
