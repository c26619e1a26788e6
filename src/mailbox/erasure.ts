import { isRowsKey } from "../blobs/rows.ts";
import type { BlobStore } from "../blobs/store.ts";
import type { Database } from "../lib/sql.ts";
import * as statements from "./statements.ts";

/** A blob whose message never came is an orphan after this long. */
export const ORPHAN_AFTER_MS = 3_600_000;
/** After a failure of the store. */
const RETRY_MS = 60_000;
const BATCH = 500;
/** Later than every due date. */
export const ALL_DUE = Number.MAX_SAFE_INTEGER;

/**
 * Erases the blobs whose time has come, and answers how many lay in the bucket. A batch that the store refuses is tried
 * again in a minute. Erasing twice is harmless, so a crash between the two steps is too.
 */
export async function eraseDueBlobs(
  db: Database,
  bucket: BlobStore | null,
  dueBy: number,
  nowMs: number,
): Promise<number> {
  let erased = 0;
  for (;;) {
    const keys = db.all(statements.DUE_ERASURES, dueBy, BATCH).map((row) => row.key);
    if (keys.length === 0) return erased;
    const objects = keys.filter((key) => !isRowsKey(key));
    try {
      if (objects.length > 0) await bucket?.delete(objects);
    } catch (error) {
      for (const key of keys) db.run(statements.POSTPONE_ERASURE, nowMs + RETRY_MS, key);
      throw error;
    }
    for (const key of keys) {
      if (isRowsKey(key)) db.run(statements.DELETE_CHUNKS, key);
      db.run(statements.CANCEL_ERASURE, key);
    }
    erased += objects.length;
  }
}
