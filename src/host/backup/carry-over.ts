import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { nextMark } from "../../lib/log-numbers.ts";
import { plannedErasures, namedBlobs } from "./bucket.ts";
import { allRows, columnsOf, hasTable, openWritable } from "./data-folder.ts";
import { isDamage } from "./image.ts";
import { setLastEvent } from "./settle.ts";

/** The name under which the replaced mailbox is attached. */
const OLD = "old";

/** Deliveries that wait in the backup, with what the replaced mailbox knows of them. */
const SETTLE_DELIVERIES = `UPDATE main.delivery SET state = known.state, attempts = known.attempts, due_at = known.due_at,
    begun_at = known.begun_at
  FROM ${OLD}.delivery AS known
  WHERE delivery.due_at IS NOT NULL AND known.id = delivery.id AND known.event = delivery.event
    AND known.target = delivery.target`;
const TAKE_ATTEMPTS = `INSERT OR IGNORE INTO main.attempt (delivery, number, at, status, error, duration_ms, answer)
  SELECT known.delivery, number, at, status, error, duration_ms, answer FROM ${OLD}.attempt AS known
  WHERE known.delivery IN (SELECT id FROM main.delivery WHERE due_at IS NOT NULL)`;

/**
 * Gives the prepared database of a mailbox what the replaced one knows and a backup cannot: the last number of its log, and the
 * webhooks that were delivered since. A damaged or missing old mailbox knows nothing. No workerd may have it open.
 *
 * @returns keys of blobs that only the old mailbox names.
 */
export function takeOver(staged: string, oldFile: string): string[] {
  if (!existsSync(oldFile)) return [];
  const database = openWritable(staged);
  try {
    database.prepare(`ATTACH ? AS ${OLD}`).run(oldFile);
    if (!hasTable(database, "account", OLD)) return [];
    database.exec("BEGIN");
    if (
      columnsOf(database, "account").has("last_event") &&
      columnsOf(database, "account", OLD).has("last_event")
    )
      raiseLastEvent(database);
    if (hasTable(database, "delivery") && hasTable(database, "delivery", OLD)) {
      database.exec(TAKE_ATTEMPTS);
      database.exec(SETTLE_DELIVERIES);
    }
    database.exec("COMMIT");
    return onlyOld(database);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  } finally {
    database.close();
  }
}

/** Clients saw the numbers of the replaced mailbox's log, also if that was more than a million after the backup. */
function raiseLastEvent(database: DatabaseSync): void {
  const [old] = allRows(database, `SELECT last_event FROM ${OLD}.account`);
  if (old !== undefined)
    setLastEvent(database, (last) => Math.max(last, nextMark(Number(old["last_event"]))));
}

function onlyOld(database: DatabaseSync): string[] {
  const kept = new Set(namedBlobs(database));
  return [...namedBlobs(database, OLD), ...plannedErasures(database, OLD)].filter((key) => !kept.has(key));
}
