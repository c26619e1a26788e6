/** Refused recipients of one connection before its answers are delayed: an old mailing list has some, address harvesting many. */
const FREE_REFUSALS = 20;
/** The delay of each further answer; after the last one the connection is closed. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

/** The server's reaction to a refused recipient. */
export type Consequence = { kind: "answer"; delayMs: number } | { kind: "close" };

/** Slows connections that try many unknown recipients, and closes them in the end (tarpitting). */
export class Tarpit {
  readonly #counts = new Map<string, number>();

  /** Counts one more unknown recipient of the session `id`. */
  count(id: string): Consequence {
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    if (count <= FREE_REFUSALS) return { kind: "answer", delayMs: 0 };
    const delayMs = DELAYS_MS[count - FREE_REFUSALS - 1];
    return delayMs === undefined ? { kind: "close" } : { kind: "answer", delayMs };
  }

  /** Forgets a session that ended. */
  forget(id: string): void {
    this.#counts.delete(id);
  }
}
