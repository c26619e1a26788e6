import { existsSync } from "node:fs";
import path from "node:path";
import { Refusal } from "../refusal.ts";

/** A file in the data folder while a restore into it is not complete. */
export const RESTORE_MARK = "restore.incomplete";

/** Throws a {@link Refusal} for a data folder whose restore is incomplete: a server would not see what is missing. */
export function refuseHalfRestored(dataDir: string): void {
  if (existsSync(path.join(dataDir, RESTORE_MARK)))
    throw new Refusal(
      `${dataDir} holds an incomplete restore: run the same mailkeep-server restore command again`,
    );
}
