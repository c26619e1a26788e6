import { isRowsKey } from "../../blobs/rows.ts";
import type { BlobStore } from "../../blobs/store.ts";
import type { Tables } from "../../lib/schemas.ts";
import * as rows from "./rows.ts";

/** After a failure of the store. */
export const RETRY_MS = 60_000;
const BATCH = 500;

/** What blobs are erased with. */
export interface ErasureTools {
  tables: Pick<Tables, "all" | "run">;
  chunks: Pick<Tables, "run">;
  bucket: BlobStore | null;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
}

/**
 * Erases the blobs whose time has come, and answers how many lay in the bucket. They are marked before the bucket is asked: a
 * message that comes for its blob meanwhile, or after a crash in between, is refused and comes again with another. A batch that
 * the store refuses is tried again in a minute. Erasing twice is harmless.
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
 * Erases what may have come to be after its mailbox ended, once nobody writes it any more; answers when the next is due, null
 * when nothing is left. What the store refuses is tried again in a minute.
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
