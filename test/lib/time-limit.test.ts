import { afterEach, describe, expect, it, vi } from "vitest";
import { TimeLimit, withinTime } from "../../src/lib/time-limit.ts";

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

describe("a time limit", () => {
  const never = new Promise<never>(() => {});

  it("ends a wait for work that heeds no signal, with the error of its owner", async () => {
    vi.useFakeTimers();
    const limit = new TimeLimit({ ms: 1_000, errorFor: (reason) => new Error(`ended: ${reason}`) });
    const waiting = limit.race(never).catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(999);
    expect([limit.isLate, limit.signal.aborted]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([limit.isLate, limit.signal.aborted]).toEqual([true, true]);
    expect(await waiting).toBe("ended: late");
  });

  it("tells a given signal from the end of the time, also if it aborted before", async () => {
    const given = AbortSignal.abort(new Error("enough"));
    const limit = new TimeLimit({ ms: 60_000, given });
    await expect(limit.race(never)).rejects.toThrow("enough");
    expect([limit.isLate, limit.signal.aborted]).toEqual([false, true]);
    limit.clear();
  });

  it("leaves no timer and no listener behind, and can abort what goes on", () => {
    vi.useFakeTimers();
    const given = new AbortController();
    const limit = new TimeLimit({ ms: 1_000, given: given.signal });
    limit.abort(new Error("over"));
    expect(vi.getTimerCount()).toBe(0);
    given.abort(new Error("later"));
    expect(limit.signal.reason).toEqual(new Error("over"));
  });
});
