import type { ABOUT as Documented } from "./worker-settings-about.ts";

// Stands for `worker-settings-about.ts` in the script of a deployment (`alias` in wrangler.jsonc): the worker reads settings, and
// does not document them.

/** Describes no setting. */
export const ABOUT = new Proxy({}, { get: () => ({}) }) as typeof Documented;
