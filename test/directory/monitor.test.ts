import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { flush, flushSoon } from "../../src/metrics/flush.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import { noteActivity, takeActivities } from "../../src/metrics/activity.ts";
import type { Monitor } from "../../src/metrics/monitor.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOON = Date.UTC(2026, 10, 22, 12);
const WAKEUPS = "mailkeep_wakeups_total";
const NOTHING = { sends: 0, sends_since: null, webhooks: 0, webhooks_since: null, streams: 0, waits: 0 };

let made = 0;
/** A monitor of its own. */
function newMonitor(): DurableObjectStub<Monitor> {
  made += 1;
  return env.MONITOR.getByName(`monitor-${made}`);
}

// The first call loads the whole worker, which takes a while on a busy machine.
beforeAll(() => newMonitor().totals(), 180_000);

const counted = (count: number) => ({ series: { [WAKEUPS]: [count] }, activities: {} });

describe("the monitor", () => {
  it("sums up counts in total, by minute and by hour", async () => {
    const monitor = newMonitor();
    await monitor.tell(counted(1), NOON);
    await monitor.tell(counted(2), NOON + 59_000);
    await monitor.tell(counted(4), NOON + MINUTE_MS);
    expect((await monitor.totals(NOON))[WAKEUPS]).toEqual([7]);
    expect(await monitor.figures("minute", NOON, [WAKEUPS])).toEqual([
      { at: NOON, series: { [WAKEUPS]: [3] } },
      { at: NOON + MINUTE_MS, series: { [WAKEUPS]: [4] } },
    ]);
    expect(await monitor.figures("hour", NOON, [WAKEUPS])).toEqual([
      { at: NOON, series: { [WAKEUPS]: [7] } },
    ]);
    expect(await monitor.figures("hour", NOON, ["mailkeep_sends_total"])).toEqual([{ at: NOON, series: {} }]);
  });

  it("keeps minutes for 90 minutes, hours for 32 days, and totals for ever", async () => {
    const monitor = newMonitor();
    await monitor.tell(counted(1), NOON);
    await monitor.tell(counted(1), NOON + 90 * MINUTE_MS);
    expect(await monitor.figures("minute", 0, [])).toHaveLength(2);
    await monitor.tell(counted(1), NOON + 91 * MINUTE_MS);
    expect((await monitor.figures("minute", 0, [])).map(({ at }) => at)).toEqual([
      NOON + 90 * MINUTE_MS,
      NOON + 91 * MINUTE_MS,
    ]);
    expect(await monitor.figures("hour", 0, [])).toHaveLength(2);
    await monitor.tell(counted(1), NOON + 33 * DAY_MS);
    expect(await monitor.figures("hour", 0, [])).toHaveLength(1);
    expect((await monitor.totals(NOON))[WAKEUPS]).toEqual([4]);
  });

  it("leaves out what is no metric of this release, and rows that are too long", async () => {
    const monitor = newMonitor();
    const series = {
      [WAKEUPS]: [1],
      mailkeep_other_total: [1],
      "mailkeep_receipt_seconds|smtp": Array.from({ length: 1_000 }, () => 1),
    };
    await monitor.tell({ series, activities: {} }, NOON);
    const names = Object.keys(await monitor.totals(NOON)).filter(
      (name) => !/queue|listeners|halted/.test(name),
    );
    expect(names).toEqual([WAKEUPS]);
  });

  it("knows the work and the listeners of all mailboxes by the last report of each", async () => {
    const monitor = newMonitor();
    const busy = { ...NOTHING, sends: 2, sends_since: NOON - HOUR_MS, streams: 1 };
    await monitor.tell({ series: {}, activities: { a: busy, b: { ...busy, sends: 3 } } }, NOON);
    await monitor.tell({ series: {}, activities: { a: null } }, NOON + 1_000);
    const soon = await monitor.totals(NOON + MINUTE_MS);
    expect(soon["mailkeep_queue_messages|sends"]).toEqual([3]);
    expect(soon["mailkeep_queue_oldest_seconds|sends"]).toEqual([3_660]);
    expect(soon["mailkeep_listeners|stream"]).toEqual([1]);
    // Its isolate may have died: no stream is open for so long without a word.
    const later = await monitor.totals(NOON + 10 * MINUTE_MS);
    expect(later["mailkeep_listeners|stream"]).toEqual([0]);
    expect(later["mailkeep_queue_messages|sends"]).toEqual([3]);
    await monitor.tell({ series: {}, activities: {} }, NOON + 2 * DAY_MS);
    expect((await monitor.totals(NOON + 2 * DAY_MS))["mailkeep_queue_messages|sends"]).toEqual([0]);
  });

  it("keeps since when and why all sending is halted, and a repeat changes nothing", async () => {
    const monitor = newMonitor();
    expect(await monitor.sendingHalt()).toBeNull();
    await monitor.resumeSending();
    const halt = await monitor.haltSending("A key leaked");
    expect(halt).toEqual({ at: expect.any(Number), reason: "A key leaked" });
    expect(await monitor.haltSending("Another")).toEqual(halt);
    await evictDurableObject(monitor);
    expect(await monitor.sendingHalt()).toEqual(halt);
    expect((await monitor.totals())["mailkeep_sending_halted"]).toEqual([1]);
    await monitor.resumeSending();
    expect(await monitor.sendingHalt()).toBeNull();
    expect((await monitor.totals())["mailkeep_sending_halted"]).toEqual([0]);
  });

  it("writes nothing when it is only asked", async () => {
    const monitor = newMonitor();
    expect(await monitor.totals(NOON)).toEqual({});
    expect(await monitor.figures("hour", 0, [WAKEUPS])).toEqual([]);
    expect(await monitor.diagnosis()).toBeNull();
  });
});

describe("handing counts over", () => {
  beforeEach(() => {
    metrics.take();
    takeActivities();
  });
  afterEach(() => vi.restoreAllMocks());

  /** The environment with a monitor that takes, or refuses, what it is told. */
  function told(refuses: boolean) {
    const calls: unknown[] = [];
    const tell = (what: unknown) => {
      calls.push(what);
      return refuses ? Promise.reject(new Error("overloaded")) : Promise.resolve();
    };
    const MONITOR = { getByName: () => ({ tell }) } as unknown as typeof env.MONITOR;
    return { calls, env: { MONITOR } };
  }

  it("keeps them if the monitor fails, and hands them over the next time", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    metrics.count(WAKEUPS, {});
    noteActivity("a", { ...NOTHING, sends: 1 });
    await flush(told(true).env);
    metrics.count(WAKEUPS, {});
    const next = told(false);
    await flush(next.env);
    expect(next.calls).toEqual([{ series: { [WAKEUPS]: [2] }, activities: { a: { ...NOTHING, sends: 1 } } }]);
    expect(metrics.isEmpty).toBe(true);
  });

  it("adds what the host counted", async () => {
    const { calls, env: bindings } = told(false);
    const HOST_STATE = { fetch: async () => Response.json({ [WAKEUPS]: [5] }) } as unknown as Fetcher;
    metrics.count(WAKEUPS, {});
    await flush({ ...bindings, HOST_STATE });
    expect(calls).toEqual([{ series: { [WAKEUPS]: [6] }, activities: {} }]);
  });

  it("is planned once, however much is counted, and not at all where nothing was", async () => {
    const { env: bindings } = told(false);
    await flush(bindings);
    const plans: Promise<unknown>[] = [];
    flushSoon(bindings, (work) => plans.push(work));
    expect(plans).toHaveLength(0);
    for (let time = 0; time < 100; time += 1) {
      metrics.count(WAKEUPS, {});
      flushSoon(bindings, (work) => plans.push(work));
    }
    expect(plans).toHaveLength(1);
  });

  it("does not report a mailbox in which nothing waits and nothing waited", () => {
    noteActivity("quiet", null);
    noteActivity("short", { ...NOTHING, waits: 1 });
    noteActivity("short", null);
    expect(takeActivities()).toEqual({});
    noteActivity("long", { ...NOTHING, waits: 1 });
    expect(takeActivities()).toEqual({ long: { ...NOTHING, waits: 1 } });
    noteActivity("long", null);
    expect(takeActivities()).toEqual({ long: null });
  });
});
