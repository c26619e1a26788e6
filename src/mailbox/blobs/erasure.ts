import { isRowsKey } from "../../blobs/rows.ts";
import type { BlobStore } from "../../blobs/store.ts";
import type { Tables } from "../../lib/schemas.ts";
import * as rows from "./rows.ts";

/** Delay before a retry after the blob store failed, in ms. */
export const RETRY_MS = 60_000;
const BATCH = 500;

/** Everything that erasing blobs needs. */
export interface ErasureTools {
  tables: Pick<Tables, "all" | "run">;
  chunks: Pick<Tables, "run">;
  bucket: BlobStore | null;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
}

/**
 * Erases the blobs that are due by `dueBy`; answers how many were in the bucket. They are marked before the bucket is
 * called, so a message that claims one meanwhile, or after a crash in between, is refused, and its sender tries again with
 * a new blob. If the store fails, the batch is retried in a minute. Erasing a blob twice is harmless.
 */
export async function eraseDueBlobs(tools: ErasureTools, dueBy: number, nowMs: number): Promise<number> {
  const { tables, chunks, bucket, durable } = tools;
  let erased = 0;
  for (;;) {
    const keys = tables.all(rows.BEGIN_ERASURES, dueBy, BATCH).map((row) => row.key);
    if (keys.length === 0) return erased;
    const objects = keys.filter((key) => !isRowsKey(key));
    try {
      if (objects.length > 0) {
        await durable();
        await bucket?.delete(objects);
      }
    } catch (error) {
      for (const key of keys) tables.run(rows.POSTPONE_ERASURE, nowMs + RETRY_MS, key);
      throw error;
    }
    for (const key of keys) {
      if (isRowsKey(key)) chunks.run(rows.DELETE_CHUNKS, key);
      tables.run(rows.END_ERASURE, key);
    }
    erased += objects.length;
  }
}

/**
 * Erases blobs that may have appeared after their mailbox ended, once their writers have given up. Answers when the next is
 * due, in ms since 1970; null if none is left. If the store fails, they are retried in a minute.
 */
export async function eraseLateBlobs(
  { tables, bucket }: ErasureTools,
  nowMs: number,
): Promise<number | null> {
  const due = tables.all(rows.LATE_BLOBS).filter((row) => row.due_at <= nowMs);
  try {
    if (due.length > 0) await bucket?.delete(due.map((row) => row.key));
  } catch (error) {
    for (const { key } of due) tables.run(rows.POSTPONE_LATE_BLOB, nowMs + RETRY_MS, key);
    throw error;
  }
  for (const { key } of due) tables.run(rows.REMOVE_LATE_BLOB, key);
  return tables.all(rows.LATE_BLOBS)[0]?.due_at ?? null;
}
