import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spendOne, type Budget } from "../../src/lib/budget.ts";

const HOUR: Budget = { limit: 3, windowMs: 3_600_000 };

describe("spendOne", () => {
  it("allows the limit in a window that begins with the first use", () => {
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

  it("never allows more than the limit in one window, and never asks to wait longer than the window", () => {
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

  it("goes on when the clock moves backwards", () => {
    const used = { since: 10_000_000, spent: 3 };
    expect(spendOne(used, HOUR, 1_000).allowance.allowed).toBe(true);
  });
});
