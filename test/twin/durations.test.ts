import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { millisecondsOf } from "../../src/twin/durations.ts";

describe("a duration", () => {
  it.each([
    ["73h", 262_800_000],
    ["1h30m", 5_400_000],
    ["45s", 45_000],
    ["2d", 172_800_000],
    ["250ms", 250],
    ["1.5 h", 5_400_000],
    [0, 0],
    [1_234, 1_234],
  ])("understands %s", (duration, ms) => {
    expect(millisecondsOf(duration)).toBe(ms);
  });

  it.each(["", "h", "5", "-1s", "1y", "1h 30", "soon", -1, Number.NaN, Infinity, "4000d"])(
    "refuses %s, and says how one is written",
    (duration) => {
      expect(() => millisecondsOf(duration)).toThrow(/is no duration such as 5000, "45s", "1h30m" or "73h"/);
    },
  );

  it("adds up its parts, whatever they are", () => {
    const part = fc.tuple(fc.integer({ min: 0, max: 999 }), fc.constantFrom("ms", "s", "m", "h", "d"));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const text = parts.map(([count, unit]) => `${count}${unit}`).join("");
        const sum = parts.reduce((ms, [count, unit]) => ms + millisecondsOf(`${count}${unit}`), 0);
        expect(millisecondsOf(text)).toBe(sum);
      }),
    );
  });
});
