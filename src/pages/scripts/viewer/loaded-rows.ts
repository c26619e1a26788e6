/**
 * The loaded lines of a list, newest first. It is changed in place and knows its ids, so that a new mail costs the same in a list
 * of a hundred thousand as in one of fifty.
 */
export class LoadedRows<Row extends { readonly id: string }> {
  #rows: Row[] = [];
  #ids = new Set<string>();
  /** Lines that were put on top since the newest page was asked for, newest first. */
  #arrived: Row[] = [];
  /** Ids of lines that were removed: a page that was on its way does not bring them back. */
  readonly #removed = new Set<string>();

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

  /** Empties the list, which may show others now. */
  clear(): void {
    this.#arrived = [];
    this.#removed.clear();
    this.replace([]);
  }

  /** Called before the newest page is asked for: lines that are put on top from now on may not be on it, and stay. */
  ask(): void {
    this.#arrived = [];
  }

  /** Puts the newest page in the place of all lines. */
  replace(newest: readonly Row[]): void {
    this.#rows = this.#upToDate(newest);
    this.#ids = new Set(this.#rows.map(({ id }) => id));
  }

  /** Adds a line on top. */
  prepend(row: Row): void {
    this.#arrived.unshift(row);
    this.#rows.unshift(row);
    this.#ids.add(row.id);
  }

  /** Adds lines at the end, without those that are there. */
  append(rows: readonly Row[]): void {
    for (const row of rows) {
      if (this.#ids.has(row.id) || this.#removed.has(row.id)) continue;
      this.#rows.push(row);
      this.#ids.add(row.id);
    }
  }

  /** Takes a line out for good. */
  remove(id: string): void {
    this.#removed.add(id);
    this.takeOut(id);
  }

  /** Takes a line out until a page has it again. */
  takeOut(id: string): void {
    const at = this.indexOf(id);
    if (at === -1) return;
    this.#rows.splice(at, 1);
    this.#ids.delete(id);
  }

  /** Puts the newest lines in the place of those that they reach down to. Returns false if they reach to none: nothing changes. */
  join(page: readonly Row[]): boolean {
    const newest = this.#upToDate(page);
    const last = page.length === 0 ? -1 : this.indexOf(newest.at(-1)?.id ?? "");
    if (last === -1) return false;
    for (const { id } of this.#rows.splice(0, last + 1)) this.#ids.delete(id);
    // A thread that moved up stands further down.
    for (const { id } of newest) this.takeOut(id);
    this.#rows.unshift(...newest);
    for (const { id } of newest) this.#ids.add(id);
    return true;
  }

  /** A page with what changed since it was asked for. */
  #upToDate(page: readonly Row[]): Row[] {
    const ids = new Set(page.map(({ id }) => id));
    const arrived = this.#arrived.filter(({ id }) => !ids.has(id));
    return [...arrived, ...page].filter(({ id }) => !this.#removed.has(id));
  }
}
