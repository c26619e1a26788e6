import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../src/client/error.ts";
import { pauseBefore } from "../../src/client/retry.ts";

const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const repeats = fc.nat(200);
const waitMs = fc.option(fc.nat(100_000_000));

describe("the pause before a repeat", () => {
  it("is never shorter than the service asks for, and never reaches the deadline", () => {
    fc.assert(
      fc.property(repeats, waitMs, random, fc.nat(200_000_000), (done, asked, chance, remainingMs) => {
        const pauseMs = pauseBefore(done, asked, { remainingMs, random: chance });
        if (pauseMs === null) return;
        expect(pauseMs).toBeGreaterThanOrEqual(asked ?? 0);
        expect(pauseMs).toBeLessThan(remainingMs);
      }),
    );
  });

  it("is spread from nothing to a bound that doubles with each repeat and stops at 8 s", () => {
    fc.assert(
      fc.property(repeats, random, (done, chance) => {
        const at = (share: number) =>
          pauseBefore(done, null, { remainingMs: Infinity, random: share }) ?? NaN;
        const bound = at(1);
        expect(bound).toBe(Math.min(8_000, 250 * 2 ** done));
        expect(at(0)).toBe(0);
        expect(at(chance)).toBeCloseTo(chance * bound, 6);
      }),
    );
  });

  it("is null if Retry-After ends after the deadline", () => {
    expect(pauseBefore(0, 30_000, { remainingMs: 29_999, random: 0 })).toBeNull();
    expect(pauseBefore(0, 30_000, { remainingMs: 30_001, random: 0 })).toBe(30_000);
  });
});

it("reads Retry-After in seconds, or as a date", () => {
  const now = Date.parse("2026-11-21T08:30:00Z");
  expect(retryAfterMs("41", now)).toBe(41_000);
  expect(retryAfterMs("Sat, 21 Nov 2026 08:31:00 GMT", now)).toBe(60_000);
  expect(retryAfterMs("Sat, 21 Nov 2026 08:29:00 GMT", now)).toBe(0);
  expect(retryAfterMs("soon", now)).toBeNull();
  expect(retryAfterMs(null, now)).toBeNull();
});
