/**
 * The loaded lines of a list, newest first. It is changed in place and knows its ids, so that a new mail costs the same in a list
 * of a hundred thousand as in one of fifty.
 */
export class LoadedRows<Row extends { readonly id: string }> {
  #rows: Row[] = [];
  #ids = new Set<string>();

  get all(): readonly Row[] {
    return this.#rows;
  }

  get length(): number {
    return this.#rows.length;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The place of a line; -1 for one that is not loaded. */
  indexOf(id: string): number {
    return this.#ids.has(id) ? this.#rows.findIndex((row) => row.id === id) : -1;
  }

  replace(rows: readonly Row[]): void {
    this.#rows = [...rows];
    this.#ids = new Set(rows.map(({ id }) => id));
  }

  /** Adds a line on top. */
  prepend(row: Row): void {
    this.#rows.unshift(row);
    this.#ids.add(row.id);
  }

  /** Adds lines at the end, without those that are there. */
  append(rows: readonly Row[]): void {
    for (const row of rows) {
      if (this.#ids.has(row.id)) continue;
      this.#rows.push(row);
      this.#ids.add(row.id);
    }
  }

  remove(id: string): void {
    const at = this.indexOf(id);
    if (at === -1) return;
    this.#rows.splice(at, 1);
    this.#ids.delete(id);
  }

  /** Puts the newest lines in the place of those that they reach down to. Returns false if they reach to none: nothing changes. */
  join(newest: readonly Row[]): boolean {
    const last = this.indexOf(newest.at(-1)?.id ?? "");
    if (last === -1) return false;
    for (const { id } of this.#rows.splice(0, last + 1)) this.#ids.delete(id);
    // A thread that moved up stands further down.
    for (const { id } of newest) this.remove(id);
    this.#rows.unshift(...newest);
    for (const { id } of newest) this.#ids.add(id);
    return true;
  }
}
