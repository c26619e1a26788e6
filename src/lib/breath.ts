/**
 * Where bytes are there as fast as they are taken, the runtime never waits, and so never looks at what else came in: no request
 * of any mailbox is read until all of them are through. So many are done in a few milliseconds.
 */
export const BREATH_BYTES = 65_536;

/** Lets the runtime look at what else came in. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
