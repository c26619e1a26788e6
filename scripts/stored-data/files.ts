import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Files that a start recreates: the lock, messages under way, and secrets that the settings contain. */
const MADE_ANEW = ["serve.lock", "spool", "secrets.json"];
/** Of SQLite, of workerd, and what a full-text index keeps itself. */
const INTERNAL = /^(sqlite_|_cf_|search_)/;

/** Prepares a data folder for archiving: checkpoints the databases, and removes files that a start recreates. */
export function tidy(dataDir: string): void {
  for (const name of MADE_ANEW) rmSync(path.join(dataDir, name), { recursive: true, force: true });
  for (const file of databases(dataDir)) {
    const db = new DatabaseSync(file);
    db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    db.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  }
}

/** Rows of each table of each actor. */
export function countTables(dataDir: string): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const file of databases(path.join(dataDir, "do"))) {
    const actor = path.basename(path.dirname(file)).replace(/^mailkeep-/, "");
    if (path.basename(file) === "metadata.sqlite") continue;
    const tables = (counts[actor] ??= {});
    for (const [name, rows] of rowsOf(file)) tables[name] = (tables[name] ?? 0) + rows;
  }
  return counts;
}

function rowsOf(file: string): [table: string, rows: number][] {
  const db = new DatabaseSync(file, { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = tables
    .map(({ name }) => String(name))
    .filter((name) => !INTERNAL.test(name))
    .map((name): [string, number] => {
      const counted = db.prepare(`SELECT count(*) AS rows FROM "${name}"`).get();
      return [name, Number(counted?.rows)];
    });
  db.close();
  return rows;
}

/** How many messages an unfinished copy has taken over; null if no copy is unfinished. */
export function takeOverUnderWay(dataDir: string): number | null {
  for (const file of databases(path.join(dataDir, "do", "mailkeep-Mailbox"))) {
    if (!rowsOf(file).some(([name, rows]) => name === "take_over" && rows > 0)) continue;
    const db = new DatabaseSync(file, { readOnly: true });
    const row = db.prepare("SELECT messages FROM take_over WHERE due_at IS NOT NULL").get();
    db.close();
    if (row !== undefined) return Number(row.messages);
  }
  return null;
}

function databases(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite"))
    .map((name) => path.join(folder, name));
}
