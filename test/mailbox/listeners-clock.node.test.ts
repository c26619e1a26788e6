import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Listeners, type Listening } from "../../src/mailbox/log/listeners.ts";
import type { LoggedEvent } from "../../src/mailbox/log/rows.ts";
import type { Turns } from "../../src/mailbox/turns.ts";

const HOUR_MS = 3_600_000;

/** The time of day, which somebody can set; timers do not follow it. */
let setByMs = 0;

beforeEach(() => {
  setByMs = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let passedMs = 0;
  const advance = vi.advanceTimersByTimeAsync.bind(vi);
  vi.spyOn(vi, "advanceTimersByTimeAsync").mockImplementation(async (ms) => {
    for (let step = 0; step < ms; step += 100) {
      passedMs += 100;
      await advance(100);
    }
    return vi;
  });
  vi.spyOn(performance, "now").mockImplementation(() => 10 * HOUR_MS + passedMs + setByMs);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function* nothing(): Turns<LoggedEvent[]> {
  yield;
  return [];
}

function* twoTurns(order: string[]): Turns<LoggedEvent[]> {
  order.push("turn");
  yield;
  order.push("turn");
  return [];
}

const listenersOf = (read: () => Turns<LoggedEvent[]>): Listeners =>
  new Listeners({ read, durable: () => Promise.resolve(), changed: () => {} });

const listening = (): Listening => ({
  kinds: null,
  after: 0,
  expiresAt: null,
  mayListen: () => true,
  signal: new AbortController().signal,
});

/** A stream and what it has written so far. */
function open() {
  const listeners = listenersOf(nothing);
  const opened = listeners.open(listening());
  if (!opened.ok) throw new Error("The stream was refused");
  const stream = { listeners, text: "", isOver: false };
  void (async () => {
    for await (const chunk of opened.value) stream.text += new TextDecoder().decode(chunk);
    stream.isOver = true;
  })();
  return stream;
}

it("ends a stream in time, and keeps it alive until then, when the clock is set back by an hour", async () => {
  const stream = open();
  await vi.advanceTimersByTimeAsync(5_000);
  setByMs = -HOUR_MS;
  stream.text = "";
  await vi.advanceTimersByTimeAsync(10_000);
  expect(stream.isOver).toBe(false);
  expect(stream.text).toContain(": keepalive");
  await vi.advanceTimersByTimeAsync(12_000);
  expect([stream.isOver, stream.listeners.size, stream.listeners.isIdle]).toEqual([true, 0, true]);
});

it("ends a stream early when the clock is set forward by an hour: its client resumes", async () => {
  const stream = open();
  await vi.advanceTimersByTimeAsync(5_000);
  setByMs = HOUR_MS;
  await vi.advanceTimersByTimeAsync(2_000);
  expect([stream.isOver, stream.listeners.size, stream.listeners.isIdle]).toEqual([true, 0, true]);
});

it("lets other work run between the turns in which a stream reads the log", async () => {
  const order: string[] = [];
  setTimeout(() => order.push("other work"), 0);
  const listeners = listenersOf(() => twoTurns(order));
  const opened = listeners.open(listening());
  if (!opened.ok) throw new Error("The stream was refused");
  await vi.advanceTimersByTimeAsync(100);
  await opened.value.cancel();
  expect(order).toEqual(["turn", "other work", "turn"]);
});

it("stops reading the log for a stream whose key was revoked between two turns", async () => {
  const order: string[] = [];
  const listeners = listenersOf(() => twoTurns(order));
  let mayListen = true;
  const opened = listeners.open({ ...listening(), mayListen: () => mayListen });
  if (!opened.ok) throw new Error("The stream was refused");
  while (order.length === 0) await Promise.resolve();
  mayListen = false;
  listeners.recheck();
  await vi.advanceTimersByTimeAsync(100);
  expect([order, listeners.size]).toEqual([["turn"], 0]);
});
