import { describe, expect, it } from "vitest";
import { FLOORS, measureHonest, measurePhishing } from "../../scripts/eval/sign-ups/measure.ts";

describe("the mails of sign-ups", () => {
  it("release nothing to an attack, and tell the agent why", async () => {
    const { scenes, misses } = await measurePhishing();
    expect(misses).toEqual([]);
    expect(scenes).toBeGreaterThanOrEqual(FLOORS.phishing);
  });

  it("release the code or link of an honest one, of a hundred at least 99", async () => {
    const { scenes, misses } = await measureHonest();
    expect(scenes).toBeGreaterThanOrEqual(FLOORS.honest);
    // Shows which one was missed.
    expect(misses.slice(Math.floor(scenes * (1 - FLOORS.released)))).toEqual([]);
  });
});
