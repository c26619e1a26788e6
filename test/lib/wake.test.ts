import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AlarmClock, nextWake } from "../../src/lib/wake.ts";

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const due = fc.array(fc.option(time), { maxLength: 12 });

describe("nextWake", () => {
  it("is null if and only if no job is due", () => {
    expect(nextWake([], 5)).toBeNull();
    expect(nextWake([null, null], 5)).toBeNull();
    fc.assert(
      fc.property(due, time, (dates, now) => {
        expect(nextWake(dates, now) === null).toBe(dates.every((date) => date === null));
      }),
    );
  });

  it("is the earliest due time, and never in the past", () => {
    fc.assert(
      fc.property(due, time, time, (dates, one, now) => {
        const all = [...dates, one];
        const wake = nextWake(all, now) ?? -1;
        expect(wake).toBeGreaterThanOrEqual(now);
        expect(all.every((date) => date === null || date <= now || date >= wake)).toBe(true);
        expect(wake === now || all.includes(wake)).toBe(true);
      }),
    );
  });

  it("does not depend on the order of the jobs", () => {
    fc.assert(
      fc.property(due, time, (dates, now) => {
        expect(nextWake(dates.toReversed(), now)).toBe(nextWake(dates, now));
      }),
    );
  });

  it("rings for each job once and at its time, if each ring handles everything that is due", () => {
    fc.assert(
      fc.property(fc.array(time, { maxLength: 20 }), (jobs) => {
        const waiting = new Set(jobs.map((_, index) => index));
        const ran: number[] = [];
        let now = 0;
        for (let rings = 0; rings <= jobs.length; rings += 1) {
          const wake = nextWake(
            [...waiting].map((job) => jobs[job] ?? null),
            now,
          );
          if (wake === null) break;
          now = wake;
          for (const job of waiting) {
            if ((jobs[job] ?? Infinity) > now) continue;
            expect(jobs[job]).toBe(now);
            waiting.delete(job);
            ran.push(job);
          }
        }
        expect(ran.toSorted((a, b) => a - b)).toEqual(jobs.map((_, index) => index));
      }),
    );
  });
});

describe("an alarm clock", () => {
  /** Storage that answers one turn later, and the time its alarm is set to. */
  function storage() {
    const state = { alarm: null as number | null };
    const later = <T>(work: () => T) => Promise.resolve().then(work);
    const fake = {
      getAlarm: () => later(() => state.alarm),
      setAlarm: (ms: number) => later(() => void (state.alarm = ms)),
      deleteAlarm: () => later(() => void (state.alarm = null)),
    };
    return { state, clock: new AlarmClock(fake as Partial<DurableObjectStorage> as DurableObjectStorage) };
  }

  it("keeps an earlier time that was set while it was being set", async () => {
    const { state, clock } = storage();
    const soon = Date.now() + 1_000;
    for (const dues of [[], [soon + 60_000]]) {
      const setting = clock.set(dues);
      clock.atLatest(soon);
      await setting;
      await Promise.resolve();
      expect(state.alarm).toBe(soon);
      await clock.set([]);
      expect(state.alarm).toBeNull();
    }
  });
});
