/**
 * A loop whose next bytes are always ready never yields to the event loop: until it ends, the runtime reads no other request,
 * of any mailbox. So many bytes take a few milliseconds.
 */
export const BREATH_BYTES = 65_536;

/** Lets the runtime look at what else came in. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
