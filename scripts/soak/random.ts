/** Numbers from a seed and a name: the same in every run (SplitMix32). Not for secrets. */
export class Random {
  readonly #seed: string;
  #state = 0x811c9dc5;

  constructor(seed: string) {
    this.#seed = seed;
    for (const character of seed)
      this.#state = Math.imul(this.#state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }

  /** Another source with a seed of its own, so that two activities do not change each other's numbers. */
  named(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** From 0 to 1, 1 excluded. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of `items`; undefined if there is none. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.next() * items.length)];
  }
}
