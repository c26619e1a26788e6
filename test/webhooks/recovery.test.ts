import { describe, expect, it } from "vitest";
import {
  afterProbe,
  joined,
  MAX_PROBES,
  probeDue,
  withFreshProbes,
  withMissed,
  type Recovery,
} from "../../src/webhooks/recovery.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const range = { first: 5, last: 9, newest: 40, sent: 30 };

describe("the probes of a failed target", () => {
  it("come 1, 5 and 30 minutes after it failed, and then hourly for three days", () => {
    const due: number[] = [];
    let recovery = withFreshProbes(range, 0);
    while (recovery.probes < MAX_PROBES) {
      due.push(recovery.probeAt);
      recovery = afterProbe(recovery, recovery.probeAt);
    }
    expect(due.slice(0, 5).map((ms) => ms / MINUTE_MS)).toEqual([1, 5, 30, 90, 150]);
    expect(due.slice(3).every((ms, index) => ms - (due[index + 2] ?? 0) === HOUR_MS)).toBe(true);
    expect(due.at(-1)).toBe(30 * MINUTE_MS + 72 * HOUR_MS);
  });

  it("wait no longer than their own wait if the clock was set back, and come at once if it was set forward", () => {
    const recovery = withFreshProbes(range, 10 * HOUR_MS);
    expect(probeDue(recovery, 0)).toBe(MINUTE_MS);
    expect(probeDue(recovery, 90 * HOUR_MS)).toBe(10 * HOUR_MS + MINUTE_MS);
    const third = afterProbe(afterProbe(afterProbe(recovery, 0), 0), 10 * HOUR_MS);
    expect(probeDue(third, 0)).toBe(HOUR_MS);
  });
});

describe("a target that fails again before it has caught up", () => {
  const again: Recovery = { first: 70, last: 90, newest: 120, sent: 0, probes: 0, probeAt: 1 };

  it("still owes the deliveries of the first failure, and reads the log from where it stopped", () => {
    const before: Recovery = { first: 5, last: 9, newest: 40, sent: 55, probes: 3, probeAt: 2 };
    expect(joined(before, again)).toEqual({ ...again, first: 5, newest: 55 });
    expect(joined({ ...before, sent: 30 }, again).newest).toBe(40);
    expect(joined(null, again)).toEqual(again);
  });
});

describe("events that the log did not keep", () => {
  it("add up to one range", () => {
    expect(withMissed(null, { from: 4, to: 9 })).toEqual({ from: 4, to: 9 });
    expect(withMissed({ from: 4, to: 9 }, { from: 20, to: 30 })).toEqual({ from: 4, to: 30 });
  });
});
