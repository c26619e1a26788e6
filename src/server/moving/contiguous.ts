/** Knows how far a folder is imported without a gap: a server may answer its messages in any order. */
export class Contiguous {
  readonly #uids: readonly number[];
  readonly #handled = new Set<number>();
  #index = 0;

  /** @param uids numbers of the messages, in rising order. */
  constructor(uids: readonly number[]) {
    this.#uids = uids;
  }

  /** Notes messages that are stored, or never will be. Returns the last number before the first gap; null if there is none. */
  handled(...uids: readonly number[]): number | null {
    for (const uid of uids) this.#handled.add(uid);
    for (let uid = this.#uids[this.#index]; uid !== undefined && this.#handled.delete(uid);) {
      this.#index += 1;
      uid = this.#uids[this.#index];
    }
    return this.#uids[this.#index - 1] ?? null;
  }
}
