import type { MailTables } from "./mail-tables.ts";

// Replaces `all-tables.ts` in the script of a deployment (`scripts/build-worker.ts`): the tables as the static asset has them,
// which `src/service/load-tables.ts` loads.

let tables: MailTables | null = null;

/** Whether this isolate has loaded the tables. */
export const hasTables = (): boolean => tables !== null;

/** The tables. Throws before they are loaded. */
export function readTables(): MailTables {
  if (tables === null) throw new Error("The tables for reading mail are not loaded; call loadTables first");
  return tables;
}

/** Hands over the tables of the static asset, for this isolate. */
export function provideTables(loaded: MailTables): void {
  tables = loaded;
}
