/** Refused recipients of one connection until it is slowed: a list with old addresses has some, a search for addresses many. */
const FREE_REFUSALS = 20;
/** How long each further one waits; after the last the connection is closed. */
const DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;

/** What follows from one more refused recipient of a connection. */
export type Consequence = { kind: "answer"; delayMs: number } | { kind: "close" };

/** Counts the refused recipients of each connection. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  /** Notes one more, of the session `id`. */
  note(id: string): Consequence {
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    if (count <= FREE_REFUSALS) return { kind: "answer", delayMs: 0 };
    const delayMs = DELAYS_MS[count - FREE_REFUSALS - 1];
    return delayMs === undefined ? { kind: "close" } : { kind: "answer", delayMs };
  }

  forget(id: string): void {
    this.#counts.delete(id);
  }
}
