import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Batches, type BatchTools } from "../../../src/host/smtp/batches.ts";

/** A batch that was sent and is under way. */
interface Sent {
  items: readonly number[];
  answered: (index: number, answer: string | null) => void;
  end: () => void;
}

let sent: Sent[];

function batches(limits: Partial<BatchTools<number, string>> = {}): Batches<number, string> {
  return new Batches<number, string>({
    send: (items, answered) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      sent.push({ items, answered, end: resolve });
      return promise;
    },
    weigh: () => 1,
    maxItems: 10,
    maxBytes: 1_000,
    maxUnderWay: 2,
    patienceMs: 50,
    ...limits,
  });
}

const itemsSent = () => sent.map(({ items }) => items);

beforeEach(() => {
  sent = [];
});
afterEach(() => vi.useRealTimers());

describe("items", () => {
  it("that come in one turn of the event loop share a batch, and one that comes alone does not wait", async () => {
    const gathered = batches();
    for (const item of [1, 2, 3]) void gathered.add(item);
    await turn();
    void gathered.add(4);
    await turn();
    expect(itemsSent()).toEqual([[1, 2, 3], [4]]);
  });

  it("are gathered while as many batches are under way as may be", async () => {
    const gathered = batches({ maxUnderWay: 1 });
    void gathered.add(1);
    await turn();
    for (const item of [2, 3]) void gathered.add(item);
    await turn();
    expect(itemsSent()).toEqual([[1]]);
    sent[0]?.end();
    await turn();
    await turn();
    expect(itemsSent()).toEqual([[1], [2, 3]]);
  });

  it("do not wait behind a batch that takes longer than its time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const gathered = batches({ maxUnderWay: 1 });
    void gathered.add(1);
    await turn();
    void gathered.add(2);
    await vi.advanceTimersByTimeAsync(49);
    await turn();
    expect(itemsSent()).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(1);
    await turn();
    expect(itemsSent()).toEqual([[1], [2]]);
  });

  it("get their own answer as soon as it is there, and none if their batch ends without one", async () => {
    const gathered = batches();
    const [first, second] = [gathered.add(1), gathered.add(2)];
    await turn();
    sent[0]?.answered(1, "two");
    expect(await second).toBe("two");
    sent[0]?.end();
    expect(await first).toBeNull();
  });

  it("are sent once each, in order and within the limits, whatever comes when and ends when", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), weight: fc.integer({ min: 0, max: 12 }) }),
      fc.record({ kind: fc.constant("end" as const), which: fc.nat(5) }),
      fc.record({ kind: fc.constant("turn" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        sent = [];
        const weights: number[] = [];
        const underWay = new Set<Sent>();
        const answers: Promise<string | null>[] = [];
        const gathered = batches({
          weigh: (item) => weights[item] ?? 0,
          maxItems: 4,
          maxBytes: 10,
          patienceMs: 60_000,
          send: (items, answered) => {
            const { promise, resolve } = Promise.withResolvers<void>();
            const batch = { items, answered, end: resolve };
            sent.push(batch);
            underWay.add(batch);
            expect(underWay.size).toBeLessThanOrEqual(2);
            return promise;
          },
        });
        const finish = (batch: Sent): void => {
          underWay.delete(batch);
          for (const [index, item] of batch.items.entries()) batch.answered(index, String(item));
          batch.end();
        };
        for (const one of steps) {
          if (one.kind === "add") {
            answers.push(gathered.add(weights.push(one.weight) - 1));
          } else if (one.kind === "end") {
            const batch = [...underWay][one.which];
            if (batch) finish(batch);
          } else await turn();
        }
        while (itemsSent().flat().length < weights.length || underWay.size > 0) {
          for (const batch of underWay) finish(batch);
          await turn();
        }
        expect(itemsSent().flat()).toEqual(weights.keys().toArray());
        for (const { items } of sent) {
          expect(items.length).toBeLessThanOrEqual(4);
          const bytes = items.reduce((sum, item) => sum + (weights[item] ?? 0), 0);
          expect(items.length === 1 || bytes <= 10).toBe(true);
        }
        expect(await Promise.all(answers)).toEqual(weights.map((_, item) => String(item)));
      }),
      { numRuns: 200 },
    );
  });
});
