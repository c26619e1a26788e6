/**
 * Bytes that a loop may process before it yields to the event loop; they take a few milliseconds. A loop whose next bytes are
 * always ready never yields by itself, and the runtime reads no other request, of any mailbox, until it ends.
 */
export const BREATH_BYTES = 65_536;

/** Yields once, so that the runtime can handle other requests. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
