import { lstatSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { isCutDatabase } from "./cut-database.ts";

/** Folders below `do/` of the data folder: the actors for which a request of a stranger is enough to make a file. */
const FOLDERS = ["Mailbox", "ClientBudget", "Domain", "ClaimSession"].map((name) => `mailkeep-${name}`);
/** workerd names an object's file by its id; `metadata.sqlite` beside it holds the alarms of all of them. */
const OBJECT = /^[0-9a-f]{64}\.sqlite$/;
/** One page, in the page size of workerd. It is the list of tables; each table takes a further page. */
const EMPTY_DATABASE_BYTES = 4_096;
/** The longest that a start spends on it. 100,000 files take about a second: a few starts look at all of them. */
const BUDGET_MS = 500;

/**
 * Removes the files of objects that never stored anything: workerd makes one for each address that is asked for.
 * No workerd may run on the folder. Files that are left after `budgetMs` wait for the next start.
 */
export function removeEmptyObjects(dataDir: string, budgetMs = BUDGET_MS): void {
  const deadlineMs = performance.now() + budgetMs;
  for (const folder of FOLDERS) removeEmptyIn(path.join(dataDir, "do", folder), deadlineMs);
}

function removeEmptyIn(folder: string, deadlineMs: number): void {
  const objects = filesIn(folder).filter((name) => OBJECT.test(name));
  // Begins at a random file: otherwise many full mailboxes at the front could use up the time of every start.
  const first = Math.floor(Math.random() * objects.length);
  for (const name of [...objects.slice(first), ...objects.slice(0, first)]) {
    if (performance.now() >= deadlineMs) return;
    const file = path.join(folder, name);
    try {
      if (isEmpty(file)) remove(file);
    } catch {
      // No permission to read or remove it: the file costs 4 KB, and workerd reports the fault if the object is used.
    }
  }
}

/** Until the first checkpoint a new object's data is in the write-ahead log only, so both must be empty. */
function isEmpty(file: string): boolean {
  const main = lstatSync(file);
  if (!main.isFile() || (main.size !== 0 && main.size !== EMPTY_DATABASE_BYTES)) return false;
  const log = lstatSync(`${file}-wal`, { throwIfNoEntry: false });
  // A mailbox that was cut off to its first page stays, so that a backup and its operator see the damage.
  return (log === undefined || (log.isFile() && log.size === 0)) && !isCutDatabase(file);
}

/** Removes the main file last: if the process dies in between, the next start finds the file and continues. */
function remove(file: string): void {
  for (const suffix of ["-shm", "-wal", ""]) rmSync(`${file}${suffix}`, { force: true });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The first start: there is nothing to remove. If the folder cannot be read, workerd reports it.
    return [];
  }
}
