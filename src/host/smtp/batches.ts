/** How a `Batches` sends what it gathered. */
export interface BatchTools<Item, Answer> {
  /**
   * Sends items together, and calls `answered` for each: null if it gets no answer. Resolves when no more answers come; never
   * rejects.
   */
  send: (items: readonly Item[], answered: (index: number, answer: Answer | null) => void) => Promise<void>;
  /** Bytes of an item. */
  weigh: (item: Item) => number;
  maxItems: number;
  /** The most bytes of a batch; one item may be larger. */
  maxBytes: number;
  /** Batches under way at a time. One that takes longer than `patienceMs` no longer counts, so that nobody waits behind it. */
  maxUnderWay: number;
  patienceMs: number;
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer | null) => void;
}

/**
 * Sends items that come in the same moment, or while others are under way, in one batch: a request costs about the same for one
 * item as for ten. An item that comes alone does not wait, and each is answered by itself.
 */
export class Batches<Item, Answer> {
  readonly #tools: BatchTools<Item, Answer>;
  #waiting: Waiting<Item, Answer>[] = [];
  #underWay = 0;
  #isPlanned = false;

  constructor(tools: BatchTools<Item, Answer>) {
    this.#tools = tools;
  }

  /** Resolves to the answer of this item; to null if there is none. */
  add(item: Item): Promise<Answer | null> {
    return new Promise((resolve) => {
      this.#waiting.push({ item, resolve });
      this.#plan();
    });
  }

  /** Sends after the events of this turn: what other connections have said by then shares the batch. */
  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0 || this.#underWay >= this.#tools.maxUnderWay) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      void this.#send(this.#waiting.splice(0, this.#countFitting()));
    });
  }

  #countFitting(): number {
    const { maxItems, maxBytes, weigh } = this.#tools;
    let bytes = 0;
    const tooMany = this.#waiting.findIndex(({ item }, index) => {
      bytes += weigh(item);
      return index >= maxItems || (index > 0 && bytes > maxBytes);
    });
    return tooMany === -1 ? this.#waiting.length : tooMany;
  }

  async #send(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    let counts = true;
    const leave = (): void => {
      if (!counts) return;
      counts = false;
      this.#underWay -= 1;
      this.#plan();
    };
    this.#underWay += 1;
    const timer = setTimeout(leave, this.#tools.patienceMs);
    this.#plan();
    const items = batch.map(({ item }) => item);
    await this.#tools.send(items, (index, answer) => batch[index]?.resolve(answer));
    clearTimeout(timer);
    // This has no effect on those that were answered.
    for (const { resolve } of batch) resolve(null);
    leave();
  }
}
