import { DiskBlobStore, type BlobDisk } from "./disk.ts";
import { R2BlobStore } from "./r2.ts";
import type { BlobStore } from "./store.ts";

/** Bindings that a deployment may have. */
export interface BlobBindings {
  BLOBS?: R2Bucket;
  /** Only with `npm start`: syncs blobs to disk. */
  BLOB_DISK?: BlobDisk;
  /** Only with `npm start`: the files of blobs, by their names. */
  BLOB_FILES?: Fetcher;
}

/** Where a deployment keeps large blobs; null for rows of the mailbox, where it has no bucket. */
export function bucketOf({ BLOBS, BLOB_DISK, BLOB_FILES }: BlobBindings): BlobStore | null {
  if (BLOBS === undefined) return null;
  const bucket = new R2BlobStore(BLOBS);
  return BLOB_FILES === undefined || BLOB_DISK === undefined
    ? bucket
    : new DiskBlobStore(BLOB_FILES, BLOB_DISK, bucket);
}
