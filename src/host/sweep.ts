import { lstatSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

/** Below `do/` of the data folder: the actors that a stranger's request alone brings into being. */
const FOLDERS = ["Mailbox", "ClientBudget", "Domain", "ClaimSession"].map((name) => `mailkeep-${name}`);
/** workerd names an object's file by its id; `metadata.sqlite` beside it holds the alarms of all of them. */
const OBJECT = /^[0-9a-f]{64}\.sqlite$/;
/** The first page alone, which is the list of tables: a table has a page of its own. SQLite's page size, and workerd's. */
const EMPTY_DATABASE_BYTES = 4_096;
/** A start waits no longer for it; some 100,000 files take a second. */
const BUDGET_MS = 2_000;

/**
 * Removes the files of objects that never stored anything: workerd makes one for every address that is asked for.
 * Only while no workerd runs on the folder. What is left after `budgetMs` waits for the next start.
 */
export function sweepEmptyObjects(dataDir: string, budgetMs = BUDGET_MS): void {
  const deadlineMs = performance.now() + budgetMs;
  for (const folder of FOLDERS) sweep(path.join(dataDir, "do", folder), deadlineMs);
}

function sweep(folder: string, deadlineMs: number): void {
  const objects = filesIn(folder).filter((name) => OBJECT.test(name));
  // Somewhere else each time: else many full mailboxes at the front would hide for ever what stands behind them.
  const first = Math.floor(Math.random() * objects.length);
  for (const name of [...objects.slice(first), ...objects.slice(0, first)]) {
    if (performance.now() >= deadlineMs) return;
    const file = path.join(folder, name);
    try {
      if (isEmpty(file)) remove(file);
    } catch {
      // Not ours to read or to remove: the file costs 4 KB, and workerd says what is wrong if the object is used.
    }
  }
}

/** A new object's data lies in the write-ahead log alone until the first checkpoint, so both must be empty. */
function isEmpty(file: string): boolean {
  const main = lstatSync(file);
  if (!main.isFile() || (main.size !== 0 && main.size !== EMPTY_DATABASE_BYTES)) return false;
  const log = lstatSync(`${file}-wal`, { throwIfNoEntry: false });
  return log === undefined || (log.isFile() && log.size === 0);
}

/** The main file last: when the process dies in between, the next sweep finds it and goes on. */
function remove(file: string): void {
  for (const suffix of ["-shm", "-wal", ""]) rmSync(`${file}${suffix}`, { force: true });
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The first start: there is nothing to sweep. Or no folder of ours: workerd will say so.
    return [];
  }
}
