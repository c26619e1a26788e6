import path from "node:path";

/** The worker in the package `mailkeep-server`, whose modules lie in `lib/`. */
export const BUILT = path.resolve(import.meta.dirname, "../worker");
