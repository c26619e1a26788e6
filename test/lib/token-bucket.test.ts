import { expect, it } from "vitest";
import { TokenBucket } from "../../src/lib/token-bucket.ts";

const START = 1_800_000_000_000;

it("allows a minute's calls at once, then one at a time as tokens return", () => {
  const bucket = new TokenBucket();
  const takes = (seconds: number) => bucket.take(6, START + seconds * 1_000);
  expect(Array.from({ length: 6 }, () => takes(0))).toEqual([0, 0, 0, 0, 0, 0]);
  expect([takes(0), takes(4), takes(10), takes(10)]).toEqual([10, 6, 0, 10]);
  expect(Array.from({ length: 7 }, () => takes(1_000))).toEqual([0, 0, 0, 0, 0, 0, 10]);
});

it("returns no token when the clock moves backwards, and goes on afterwards", () => {
  const bucket = new TokenBucket();
  expect([bucket.take(1, START), bucket.take(1, START - 3_600_000)]).toEqual([0, 60]);
  expect(bucket.take(1, START - 3_600_000 + 60_000)).toBe(0);
});
