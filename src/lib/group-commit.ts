/** What a `GroupCommit` is made of. */
export interface GroupCommitTools<Change, Made> {
  /** Resolves when what was written before is durable; meanwhile more changes come together. */
  durable(): Promise<void>;
  /** Changes that one transaction takes at most. */
  maxAtOnce: number;
  /** How many of these, `maxAtOnce` at most, it takes, from the first on; the first is always taken. */
  countFitting(changes: readonly Change[]): number;
  /** Makes all of them in one transaction and says what each came to; or throws, and none is made. */
  commit(changes: readonly Change[]): readonly Made[];
}

interface Waiting<Change, Made> {
  change: Change;
  resolve: (made: Made) => void;
  reject: (fault: unknown) => void;
}

/**
 * Commits together what comes together. A transaction costs much the same for one change as for ten: pages are written once,
 * and the full-text index is brought up to date once. So whoever comes while one is under way, or being written to disk, shares
 * the next; whoever comes alone waits for nothing else. Changes are made in the order in which they came.
 */
export class GroupCommit<Change, Made> {
  readonly #tools: GroupCommitTools<Change, Made>;
  #waiting: Waiting<Change, Made>[] = [];
  #isRunning = false;

  constructor(tools: GroupCommitTools<Change, Made>) {
    this.#tools = tools;
  }

  /** Resolves when the change is made; rejects with what it threw of its own. One that fails takes no other down with it. */
  async add(change: Change): Promise<Made> {
    return new Promise<Made>((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      try {
        await this.#tools.durable();
        const next = this.#waiting.slice(0, this.#tools.maxAtOnce).map(({ change }) => change);
        const count = this.#tools.countFitting(next);
        this.#commit(this.#waiting.splice(0, Math.max(1, count)));
      } catch (fault) {
        // The storage itself is in trouble: nobody's change can be made now.
        for (const { reject } of this.#waiting.splice(0)) reject(fault);
      }
    }
    this.#isRunning = false;
  }

  #commit(group: readonly Waiting<Change, Made>[]): void {
    let made: readonly Made[];
    try {
      made = this.#tools.commit(group.map(({ change }) => change));
    } catch (fault) {
      if (group.length === 1) for (const { reject } of group) reject(fault);
      // Which of them it was shows when each is made by itself.
      else for (const one of group) this.#commit([one]);
      return;
    }
    for (const [at, one] of made.entries()) group[at]?.resolve(one);
  }
}
