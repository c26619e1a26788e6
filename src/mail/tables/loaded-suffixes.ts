import { readTables } from "./loaded-tables.ts";

// Replaces `public-suffixes.ts` in the script of a deployment (`scripts/build-worker.ts`). That module is apart from the other
// tables, because the SMTP listener needs it and none of those.

/** The list of the static asset, in the form that `public-suffixes.ts` describes. Throws before the tables are loaded. */
export const publicSuffixes = (): string => readTables().publicSuffixes;
