/** The tools of a `GroupCommit`. */
export interface GroupCommitTools<Change, Made> {
  /** Resolves when earlier writes are on disk. Changes that arrive meanwhile share the next transaction. */
  durable(): Promise<void>;
  /** The most changes of one transaction. */
  maxAtOnce: number;
  /** How many of these, counted from the first, one transaction takes: at least one, at most `maxAtOnce`. */
  countFitting(changes: readonly Change[]): number;
  /** Makes all changes in one transaction and returns the result of each. If it throws, none was made. */
  commit(changes: readonly Change[]): readonly Made[];
}

interface Waiting<Change, Made> {
  change: Change;
  resolve: (made: Made) => void;
  reject: (fault: unknown) => void;
}

/**
 * Commits changes that arrive together in one transaction. A transaction costs about the same for one change as for ten: pages
 * are written once, and the full-text index is updated once. A change that arrives while a transaction runs, or is written to
 * disk, shares the next one; a change that arrives alone does not wait. Changes are made in the order of their arrival.
 */
export class GroupCommit<Change, Made> {
  readonly #tools: GroupCommitTools<Change, Made>;
  #waiting: Waiting<Change, Made>[] = [];
  #isRunning = false;

  constructor(tools: GroupCommitTools<Change, Made>) {
    this.#tools = tools;
  }

  /** Resolves when the change is made; rejects with the error of this change. A change that fails does not fail others. */
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
        // The storage itself failed, so no change can be made now.
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
      // One of them failed. Making each by itself shows which.
      else for (const one of group) this.#commit([one]);
      return;
    }
    for (const [at, one] of made.entries()) group[at]?.resolve(one);
  }
}
