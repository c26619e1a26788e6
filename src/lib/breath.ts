/**
 * Bytes that a loop may process before it yields to the event loop; they take a few milliseconds. A loop whose next bytes are
 * always ready never yields by itself, and the runtime reads no other request, of any mailbox, until it ends.
 */
export const BREATH_BYTES = 65_536;

/** Yields once, so that the runtime can handle other requests. */
export function breath(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Time that a loop may run before it yields, in ms. The clock of the platform stands still while no call returns. */
const BREATH_MS = 8;

/** Yields for a loop whose steps are small, or differ: after {@link BREATH_BYTES} since the last time, or some milliseconds. */
export class Pace {
  #bytes = 0;
  #sinceMs = performance.now();

  /** Counts the bytes of a step, and yields if it is time. */
  async spend(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < BREATH_BYTES && performance.now() - this.#sinceMs < BREATH_MS) return;
    await breath();
    this.#bytes = 0;
    this.#sinceMs = performance.now();
  }
}

/** How often a caller looks whether a gate is free, in ms. */
const LOOK_MS = 5;
/** A request that ended under way may never leave its gate: after this time, in ms, the gate is free again. */
const MAX_HELD_MS = 2_000;

/**
 * Lets one request at a time do what takes much memory. The others wait, and the runtime handles other calls between two of
 * them.
 */
export class Gate {
  #heldUntilMs = 0;

  async through<T>(work: () => Promise<T>): Promise<T> {
    while (performance.now() < this.#heldUntilMs)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const heldUntilMs = performance.now() + MAX_HELD_MS;
    this.#heldUntilMs = heldUntilMs;
    try {
      return await work();
    } finally {
      if (this.#heldUntilMs === heldUntilMs) this.#heldUntilMs = 0;
    }
  }
}
