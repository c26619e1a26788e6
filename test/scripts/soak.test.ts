import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planFaults } from "../../scripts/soak/faults.ts";
import { compose, serialIn, sha256, subjectOf } from "../../scripts/soak/mail.ts";
import { DEFAULTS, readOptions } from "../../scripts/soak/options.ts";
import { Random } from "../../scripts/soak/random.ts";
import { growthOf, judgeGrowth, type Sample } from "../../scripts/soak/report.ts";

const MB = 1_000_000;

function samplesOf(disk: (at: number) => number): Sample[] {
  return Array.from({ length: 40 }, (_, at) => ({
    minutes: at,
    day: at,
    workerdBytes: 200 * MB,
    hostBytes: 100 * MB,
    diskBytes: disk(at),
    heldBytes: 0,
    received: 1,
    p99Ms: 1,
    what: "",
  }));
}

describe("the plan of a soak", () => {
  it("is the same for the same seed, and in the order of time", () => {
    const options = { ...DEFAULTS, minutes: 60 };
    const plan = planFaults(options, new Random("7"));
    expect(planFaults(options, new Random("7"))).toEqual(plan);
    expect(planFaults(options, new Random("8"))).not.toEqual(plan);
    expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  });

  it("kills once in each period, fills the disk once, and moves the clock on by a day for each period", () => {
    const plan = planFaults({ ...DEFAULTS, minutes: 60 }, new Random("7"));
    const kills = plan.flatMap((fault) => (fault.kind === "kill" ? [Math.floor(fault.atMs / 60_000)] : []));
    expect(kills).toEqual(Array.from({ length: 60 }, (_, period) => period));
    expect(plan.filter(({ kind }) => kind === "full disk")).toHaveLength(1);
    const movedMs = plan.reduce((sum, fault) => sum + (fault.kind === "jump" ? fault.byMs : 0), 0);
    expect(movedMs).toBe(60 * 86_400_000);
    expect(plan.some((fault) => fault.kind === "jump" && fault.byMs < 0)).toBe(true);
  });
});

describe("a mail of the soak", () => {
  it("has the same bytes for the same plan, and about as many as planned", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(2_000_000), fc.nat(1_000), (textBytes, fileBytes, number) => {
        const plan = {
          serial: `m${number}`,
          from: "a@b.example",
          to: ["c@d.example"],
          textBytes,
          fileBytes,
          code: null,
        };
        const bytes = compose(plan);
        expect(sha256(compose(plan))).toBe(sha256(bytes));
        expect(Math.abs(bytes.length - textBytes - fileBytes)).toBeLessThan(1_000);
        expect(bytes.subarray(-2).toString()).toBe("\r\n");
      }),
      { numRuns: 20 },
    );
    expect(serialIn(subjectOf("m12"))).toBe("m12");
  });
});

describe("growth", () => {
  it("is the rise of a fitted line, whatever the noise around it", () => {
    expect(growthOf([1, 2, 3, 4])).toBeCloseTo(3, 9);
    expect(growthOf([5, 5, 5])).toBe(0);
    expect(growthOf([10, 0, 10, 0, 10])).toBeCloseTo(0, 9);
  });

  it("is wrong when memory or disk rises after the first tenth, and not when it rises within it", () => {
    expect(judgeGrowth(samplesOf((at) => Math.min(at, 4) * 50 * MB)).faults).toEqual([]);
    expect(judgeGrowth(samplesOf((at) => 100 * MB + at * 5 * MB)).faults).toEqual([
      expect.stringMatching(/^not flat: disk: /),
    ]);
    expect(judgeGrowth(samplesOf(() => 0).slice(0, 5)).sentences).toEqual([
      expect.stringMatching(/^Growth is not judged/),
    ]);
  });
});

describe("the command line of the soak", () => {
  it("names the option that is wrong", () => {
    expect(readOptions(["--minutes=60", "--seed=x"])).toMatchObject({ minutes: 60, seed: "x" });
    expect(() => readOptions(["--minutes=0"])).toThrow("--minutes=0: must be a number above 0");
    expect(() => readOptions(["--minuets=1"])).toThrow("--minuets");
  });
});
