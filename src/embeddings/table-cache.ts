import type { VectorTable } from "./vectors.ts";

/**
 * Keeps the vector tables of several owners in a bounded memory. Many mailboxes share one isolate, so a limit for each would bound
 * nothing. If all together are too large, the least recently used tables are dropped and read again when needed.
 */
export class TableCache {
  readonly #maxBytes: number;
  /** In order of use, the least recent first. */
  readonly #tables = new Map<object, VectorTable>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The table of an owner, which counts as a use; null if there is none. */
  use(owner: object): VectorTable | null {
    const table = this.find(owner);
    if (table !== null) this.keep(owner, table);
    return table;
  }

  /** The table of an owner, to change it, which does not count as a use; null if there is none. */
  find(owner: object): VectorTable | null {
    return this.#tables.get(owner) ?? null;
  }

  /** Stores the table of an owner as the most recently used. */
  keep(owner: object, table: VectorTable): void {
    this.#tables.delete(owner);
    this.#tables.set(owner, table);
    this.trim(owner);
  }

  /** Drops tables of others than `owner` while all take too many bytes. Call it after `owner`'s table has grown. */
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
