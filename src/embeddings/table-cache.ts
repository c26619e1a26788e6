import type { VectorTable } from "./vectors.ts";

/**
 * Tables of several owners in one bounded memory. Many mailboxes run in one isolate, so a limit for each of them bounds
 * nothing: where all together are too large, those that were used longest ago go, and are read again when they are asked for.
 */
export class TableCache {
  readonly #maxBytes: number;
  /** The least recently used first. */
  readonly #tables = new Map<object, VectorTable>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The table of an owner, which counts as its use; null if it has none. */
  use(owner: object): VectorTable | null {
    const table = this.find(owner);
    if (table !== null) this.keep(owner, table);
    return table;
  }

  /** The table of an owner, to change it; null if it has none. */
  find(owner: object): VectorTable | null {
    return this.#tables.get(owner) ?? null;
  }

  /** Keeps the table of an owner as the one used last. */
  keep(owner: object, table: VectorTable): void {
    this.#tables.delete(owner);
    this.#tables.set(owner, table);
    this.trim(owner);
  }

  /** Lets go of tables other than `owner`'s as long as there are too many bytes; after that one has grown. */
  trim(owner: object): void {
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.bytes;
    for (const [other, table] of this.#tables) {
      if (bytes <= this.#maxBytes) return;
      if (other === owner) continue;
      this.#tables.delete(other);
      bytes -= table.bytes;
    }
  }

  delete(owner: object): void {
    this.#tables.delete(owner);
  }
}
