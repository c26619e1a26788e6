import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../src/lib/group-commit.ts";

interface Change {
  name: number;
  isPoison: boolean;
}

/** A store that keeps changes in the order of their commit, all of a transaction or none. */
function ledger(fitting = 100, maxAtOnce = 100) {
  const kept: number[] = [];
  const transactions: number[] = [];
  const group = new GroupCommit<Change, string>({
    durable: () => Promise.resolve(),
    maxAtOnce,
    countFitting: (changes) => Math.min(changes.length, fitting),
    commit: (changes) => {
      if (changes.some(({ isPoison }) => isPoison)) throw new Error("poison");
      kept.push(...changes.map(({ name }) => name));
      transactions.push(changes.length);
      return changes.map(({ name }) => `made ${name}`);
    },
  });
  return { group, kept, transactions };
}

const sound = (name: number): Change => ({ name, isPoison: false });

describe("changes that arrive together", () => {
  it("share one transaction, and each gets its own result", async () => {
    const { group, transactions } = ledger();
    const made = await Promise.all([1, 2, 3].map((name) => group.add(sound(name))));
    expect(made).toEqual(["made 1", "made 2", "made 3"]);
    expect(transactions).toEqual([3]);
  });

  it("make several transactions if one does not take them all, with at least one change each", async () => {
    for (const [fitting, maxAtOnce] of [
      [2, 100],
      [100, 2],
      [1, 100],
      [100, 1],
      [0, 100],
    ] as const) {
      const { group, kept, transactions } = ledger(fitting, maxAtOnce);
      await Promise.all([1, 2, 3, 4, 5].map((name) => group.add(sound(name))));
      expect(kept).toEqual([1, 2, 3, 4, 5]);
      expect(transactions).toEqual(Math.min(fitting, maxAtOnce) === 2 ? [2, 2, 1] : [1, 1, 1, 1, 1]);
    }
  });

  it("are made once and in order, whenever they arrive, except those that fail", async () => {
    const change = fc.record({ name: fc.nat(), isPoison: fc.boolean() });
    const waves = fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(waves, fc.nat(4), fc.integer({ min: 1, max: 4 }), async (all, fitting, maxAtOnce) => {
        const { group, kept } = ledger(fitting, maxAtOnce);
        const fates: Promise<string>[] = [];
        for (const wave of all) {
          fates.push(...wave.map((one) => group.add(one).catch((error: Error) => error.message)));
          await Promise.resolve();
        }
        const wanted = all.flat().map(({ name, isPoison }) => (isPoison ? "poison" : `made ${name}`));
        expect(await Promise.all(fates)).toEqual(wanted);
        const soundOnes = all.flat().filter(({ isPoison }) => !isPoison);
        expect(kept).toEqual(soundOnes.map(({ name }) => name));
      }),
    );
  });

  it("share the next transaction if they arrive while one is written to disk", async () => {
    const transactions: number[][] = [];
    const flushes: (() => void)[] = [];
    const group = new GroupCommit<number, number>({
      durable: () => new Promise((resolve) => flushes.push(resolve)),
      maxAtOnce: 100,
      countFitting: (changes) => changes.length,
      commit: (changes) => {
        transactions.push([...changes]);
        return changes;
      },
    });
    const first = group.add(1);
    flushes.shift()?.();
    await first;
    const later = [group.add(2), group.add(3)];
    expect(transactions).toEqual([[1]]);
    flushes.shift()?.();
    expect(await Promise.all(later)).toEqual([2, 3]);
    expect(transactions).toEqual([[1], [2, 3]]);
  });

  it("fail together when the store cannot write, and later ones are made", async () => {
    let isBroken = true;
    const group = new GroupCommit<number, number>({
      durable: () => (isBroken ? Promise.reject(new Error("disk")) : Promise.resolve()),
      maxAtOnce: 100,
      countFitting: (changes) => changes.length,
      commit: (changes) => changes,
    });
    const fates = await Promise.allSettled([group.add(1), group.add(2)]);
    expect(fates.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isBroken = false;
    expect(await group.add(3)).toBe(3);
  });
});
