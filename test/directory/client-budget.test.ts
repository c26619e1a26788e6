import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { spendOne, type Budget } from "../../src/directory/client-budget.ts";
import { advance, resetClock, setClock } from "../harness.ts";

afterEach(resetClock);

const HOUR: Budget = { limit: 3, windowMs: 3_600_000 };
const fresh = () => env.CLIENT_BUDGET.getByName(`client-${crypto.randomUUID()}`);
const tables = (stub: ReturnType<typeof fresh>) =>
  runInDurableObject(stub, (_, state) =>
    state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'budget'").toArray(),
  );

describe("budgets of several kinds", () => {
  it("are forgiven by the longest window, not by the shortest", async () => {
    const client = fresh();
    const now = Date.now();
    setClock(now);
    await client.spend("hourly", HOUR);
    await client.spend("short", { limit: 3, windowMs: 60_000 });
    const alarm = await runInDurableObject(client, (_, state) => state.storage.getAlarm());
    expect(alarm).toBe(now + HOUR.windowMs);
  });

  it("get back what turned out not to count, of that kind alone", async () => {
    const client = fresh();
    for (const kind of ["one", "two"]) await client.spend(kind, HOUR);
    await client.refund("one");
    await client.refund("never spent");
    expect((await client.spend("one", HOUR)).remaining).toBe(2);
    expect((await client.spend("two", HOUR)).remaining).toBe(1);
  });
});

describe("spendOne", () => {
  it("allows the limit in a window, from the first use on", () => {
    let used = { since: 0, spent: 0 };
    const times = [1_000, 1_001, 3_601_000 - 1, 3_601_000 - 1, 3_601_000];
    const allowed = times.map((now, index) => {
      const spent = spendOne(index === 0 ? { since: now, spent: 0 } : used, HOUR, now);
      ({ used } = spent);
      return [spent.allowance.allowed, spent.allowance.remaining];
    });
    expect(allowed).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [true, 2],
    ]);
  });

  it("never lets more than the limit through one window, and never says to wait longer than it", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (waits, limit) => {
        const budget = { limit, windowMs: 200 };
        let now = 1_000;
        let used = { since: now, spent: 0 };
        const grants: number[] = [];
        for (const wait of waits) {
          now += wait;
          const spent = spendOne(used, budget, now);
          ({ used } = spent);
          if (spent.allowance.allowed) grants.push(used.since);
          expect(spent.allowance.resetSeconds).toBeGreaterThanOrEqual(1);
          expect(spent.allowance.resetSeconds).toBeLessThanOrEqual(1);
          expect(spent.allowance.remaining).toBeGreaterThanOrEqual(0);
        }
        for (const since of grants) {
          expect(grants.filter((other) => other === since).length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("is not stuck when the clock goes back", () => {
    const used = { since: 10_000_000, spent: 3 };
    expect(spendOne(used, HOUR, 1_000).allowance.allowed).toBe(true);
  });
});

describe("a client's budget", () => {
  it("is kept on disk by kind, and outlives a restart", async () => {
    const budget = fresh();
    for (let count = 0; count < 3; count += 1) expect((await budget.spend("a", HOUR)).allowed).toBe(true);
    expect((await budget.spend("a", HOUR)).allowed).toBe(false);
    expect((await budget.spend("b", HOUR)).allowed).toBe(true);
    await evictDurableObject(budget);
    expect((await budget.spend("a", HOUR)).allowed).toBe(false);
  });

  it("counts twenty at once one by one", async () => {
    const budget = fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => budget.spend("a", HOUR)));
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(3);
  });

  it("leaves nothing behind after a quiet window, and its alarm waits for the last use", async () => {
    setClock(Date.now() + 3_600_000);
    const budget = fresh();
    await budget.spend("a", HOUR);
    advance(1_800_000);
    await budget.spend("a", HOUR);
    const due = await runInDurableObject(budget, (_, state) => state.storage.getAlarm());
    expect(due).toBe(Date.now() + HOUR.windowMs);
    advance(HOUR.windowMs);
    expect(await runDurableObjectAlarm(budget)).toBe(true);
    expect(await tables(budget)).toEqual([]);
    expect((await budget.spend("a", HOUR)).remaining).toBe(2);
  });

  it("writes nothing for wrong keys, however many", async () => {
    const client = fresh();
    for (let count = 0; count < 50; count += 1) await client.strike({ limit: 10, windowMs: 60_000 });
    expect(await tables(client)).toEqual([]);
    expect((await client.strike({ limit: 10, windowMs: 60_000 })).allowed).toBe(false);
  });
});
