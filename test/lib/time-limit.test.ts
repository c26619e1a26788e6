import { afterEach, describe, expect, it, vi } from "vitest";
import { withinTime } from "../../src/lib/time-limit.ts";

afterEach(() => vi.useRealTimers());

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

describe("withinTime", () => {
  it("answers what the work does, and leaves no timer behind", async () => {
    vi.useFakeTimers();
    expect(await withinTime(1_000, null, () => Promise.resolve(7))).toBe(7);
    await expect(withinTime(1_000, null, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends the work when its time is over", async () => {
    vi.useFakeTimers();
    const waiting = withinTime(1_000, null, untilAborted).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toBe("Not done within 1000 ms");
  });

  it("ends it when it is told to, before or while it runs", async () => {
    const given = new AbortController();
    const waiting = withinTime(60_000, given.signal, untilAborted);
    given.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const later = withinTime(60_000, given.signal, (signal) => Promise.resolve(signal.aborted));
    expect(await later).toBe(true);
  });
});
