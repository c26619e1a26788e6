import type { MailTables } from "../mail/tables/mail-tables.ts";
import { provideTables } from "../mail/tables/loaded-tables.ts";
import { hasTables } from "../mail/tables/tables.ts";
import { readAsset } from "./static-asset.ts";

/** How long other requests of the isolate wait for the one that loads, before they load the tables themselves. */
const PATIENCE_MS = 2_000;
const WAIT_MS = 5;

/** Where an isolate keeps its tables. */
interface Store {
  has(): boolean;
  provide(tables: MailTables): void;
}

/** Makes a function that loads the tables into a store, once; it returns at once where they are loaded. */
export function tableLoader(store: Store): (env: Pick<Env, "ASSETS">) => Promise<void> {
  /** When a request of this isolate began to load; null while none does. */
  let loadingSinceMs: number | null = null;
  return async ({ ASSETS }) => {
    while (!store.has()) {
      const nowMs = Date.now();
      // A request may not wait for a promise of another one, which is cut off when that one ends. It looks again after a moment.
      if (loadingSinceMs !== null && nowMs - loadingSinceMs < PATIENCE_MS) {
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        continue;
      }
      loadingSinceMs = nowMs;
      try {
        store.provide(await (await readAsset(ASSETS, "tables.json")).json());
      } finally {
        loadingSinceMs = null;
      }
    }
  };
}

/**
 * Loads the tables by which mail is read, once for the isolate. Rejects if the static assets do not answer; the next call tries
 * again.
 */
export const loadTables = tableLoader({ has: hasTables, provide: provideTables });
