import { expect, it } from "vitest";
import { TokenBucket } from "../../src/lib/token-bucket.ts";

const START = 1_800_000_000_000;

it("lets a minute's calls pass at once, and then one by one as they come back", () => {
  const bucket = new TokenBucket();
  const takes = (seconds: number) => bucket.take(6, START + seconds * 1_000);
  expect(Array.from({ length: 6 }, () => takes(0))).toEqual([0, 0, 0, 0, 0, 0]);
  expect([takes(0), takes(4), takes(10), takes(10)]).toEqual([10, 6, 0, 10]);
  expect(Array.from({ length: 7 }, () => takes(1_000))).toEqual([0, 0, 0, 0, 0, 0, 10]);
});

it("gives nothing for a clock that goes back, and is not stuck by it", () => {
  const bucket = new TokenBucket();
  expect([bucket.take(1, START), bucket.take(1, START - 3_600_000)]).toEqual([0, 60]);
  expect(bucket.take(1, START - 3_600_000 + 60_000)).toBe(0);
});
