import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AlarmClock } from "../../src/lib/wake.ts";
import type { MailboxContext } from "../../src/mailbox/context.ts";
import { Drain, type DrainOptions } from "../../src/mailbox/job.ts";
import { holdsForAll, settled, TEST_CLOCK, useTestClock, wait } from "./node-drain.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const LEASE_MS = 100_000;
const HEARTBEAT_MS = 30_000;
const PAUSE_MS = 60_000;
const OPTIONS: DrainOptions = {
  name: "Test",
  maxAtOnce: 2,
  heartbeatMs: HEARTBEAT_MS,
  pauseMs: (faults) => PAUSE_MS * (faults + 1),
};

/** An attempt that was begun and has not ended. */
interface Held {
  id: number;
  process: number;
  signal: AbortSignal;
  succeed: () => void;
  fail: () => void;
}

/** A drain over rows in memory, which outlive it as rows on a disk do, and an alarm that rings when the test says so. */
class Rig {
  /** Due times by id; a row that is done is gone. */
  readonly rows = new Map<number, number>();
  held: Held[] = [];
  readonly broken: string[] = [];
  /** Claims that fail from now on. */
  failing = 0;
  drain: Drain<{ id: number }>;
  readonly mailbox: NodeMailbox;
  #clock: AlarmClock;
  #process = 0;

  constructor(mailbox: NodeMailbox, options: DrainOptions = OPTIONS) {
    this.mailbox = mailbox;
    this.#clock = new AlarmClock(mailbox.storage);
    this.drain = this.#newDrain(options);
  }

  static async start(options: DrainOptions = OPTIONS): Promise<Rig> {
    const mailbox = await NodeMailbox.create(TEST_CLOCK);
    // The alarm is the drain's alone.
    mailbox.storage.alarm = null;
    return new Rig(mailbox, options);
  }

  #newDrain(options: DrainOptions): Drain<{ id: number }> {
    const { account, attempts, now } = this.mailbox.life.context;
    const context: Pick<MailboxContext, "account" | "attempts" | "clock" | "now" | "noteActivity"> = {
      account,
      attempts,
      now,
      clock: this.#clock,
      noteActivity: () => {},
    };
    return new Drain(
      context,
      {
        isHeld: ({ row }) => row.status !== "active",
        nextDue: (afterMs) => {
          const dues = [...this.rows.values()].filter((due) => due > afterMs);
          return dues.length === 0 ? null : Math.min(...dues);
        },
        claim: (nowMs, underWay) => this.#claim(nowMs, underWay),
        renew: ({ id }, nowMs) => {
          const due = this.rows.get(id);
          if (due !== undefined && due <= nowMs) this.rows.set(id, nowMs + LEASE_MS);
        },
        attempt: ({ id }, signal) => this.#attempt(id, signal),
      },
      options,
    );
  }

  *#claim(nowMs: number, underWay: readonly { id: number }[]): Generator<{ id: number }, void, void> {
    for (const [id, due] of this.rows) {
      if (due > nowMs || underWay.some((one) => one.id === id)) continue;
      if (this.failing > 0) {
        this.failing -= 1;
        throw new Error("disk is full");
      }
      this.rows.set(id, nowMs + LEASE_MS);
      yield { id };
    }
  }

  async #attempt(id: number, signal: AbortSignal): Promise<void> {
    if (this.alive.some((one) => one.id === id)) this.broken.push(`${id} twice at once`);
    const process = this.#process;
    await new Promise<void>((resolve, reject) => {
      const end = (work: () => void) => {
        this.held = this.held.filter((one) => one !== held);
        work();
      };
      const held: Held = {
        id,
        process,
        signal,
        succeed: () => end(resolve),
        fail: () => end(() => reject(new Error("The attempt failed"))),
      };
      this.held.push(held);
    });
    if (signal.aborted) return;
    if (process !== this.#process) this.broken.push("written by a dead process");
    this.rows.delete(id);
  }

  get alive(): Held[] {
    return this.held.filter(({ process }) => process === this.#process);
  }

  async arm(): Promise<void> {
    await this.#clock.set(this.drain.dues(Date.now()));
  }

  /** Adds a row that is due at once, and tells the drain. */
  add(id: number): void {
    this.rows.set(id, Date.now());
    this.drain.pump(Date.now());
  }

  /** The alarm rings as soon as it may. */
  async ring(): Promise<void> {
    const { alarm } = this.mailbox.storage;
    if (alarm === null) return;
    if (alarm > Date.now()) await wait(alarm - Date.now());
    this.mailbox.storage.alarm = null;
    this.#clock.rang();
    this.drain.pump(Date.now());
    await this.arm();
    await settled();
  }

  die(options: DrainOptions = OPTIONS): void {
    this.drain.close();
    this.#process += 1;
    this.#clock = new AlarmClock(this.mailbox.storage);
    this.drain = this.#newDrain(options);
  }

  check(): string[] {
    const { alive } = this;
    const { alarm } = this.mailbox.storage;
    const unleased = alive.filter(({ id }) => (this.rows.get(id) ?? 0) <= Date.now() - HEARTBEAT_MS);
    return [
      ...this.broken,
      ...(alive.length > OPTIONS.maxAtOnce ? ["too many at once"] : []),
      ...(this.rows.size > 0 && alarm === null ? ["has no alarm"] : []),
      ...(alive.length > 0 && (alarm ?? Infinity) > Date.now() + HEARTBEAT_MS ? ["rings too late"] : []),
      ...unleased.map(({ id }) => `${id} has lost its lease`),
    ];
  }
}

type Step =
  | { do: "answer"; at: number; isWell: boolean }
  | { do: "wait"; ms: number }
  | { do: "add" | "ring" | "die" | "fail" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("answer" as const), at: fc.nat(3), isWell: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 29_000) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom(...(["add", "add", "add", "ring", "ring", "die", "fail"] as const)),
    }),
  },
);

async function take(rig: Rig, one: Step, id: number): Promise<void> {
  switch (one.do) {
    case "add":
      rig.add(id);
      return rig.arm();
    case "answer": {
      const held = rig.held[one.at % Math.max(1, rig.held.length)];
      if (one.isWell) held?.succeed();
      else held?.fail();
      await settled();
      return rig.arm();
    }
    case "wait": {
      // An alarm rings in time.
      const until = Date.now() + one.ms;
      while ((rig.mailbox.storage.alarm ?? Infinity) <= until) await rig.ring();
      return wait(Math.max(0, until - Date.now()));
    }
    case "ring":
      return rig.ring();
    case "die":
      rig.die();
      return rig.arm();
    case "fail":
      rig.failing = 1;
      return undefined;
  }
}

describe("a drain", () => {
  useTestClock();

  it("attempts each row until it succeeds, never twice at the same time, whatever process dies or attempt fails", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const [index, one] of steps.entries()) {
        await take(rig, one, index);
        expect(rig.check()).toEqual([]);
      }
      rig.failing = 0;
      for (let turn = 0; turn < 200 && rig.rows.size > 0; turn += 1) {
        for (const { succeed } of rig.held) succeed();
        await settled();
        await rig.arm();
        await rig.ring();
      }
      expect([rig.rows.size, rig.broken]).toEqual([0, []]);
    });
  });

  it("makes every attempt that was claimed before a claim threw, and begins no other until the pause is over", async () => {
    const rig = await Rig.start({ ...OPTIONS, maxAtOnce: 5, heartbeatMs: null });
    for (const id of [1, 2, 3]) rig.rows.set(id, Date.now());
    rig.drain.pump(Date.now());
    expect(rig.held.map(({ id }) => id)).toEqual([1, 2, 3]);
    rig.failing = 1;
    const failedAt = Date.now();
    for (const id of [4, 5]) rig.add(id);
    expect(rig.held.map(({ id }) => id)).toEqual([1, 2, 3]);
    await rig.arm();
    expect(rig.mailbox.storage.alarm).toBe(failedAt + PAUSE_MS);
    rig.held[0]?.succeed();
    await settled();
    expect(rig.held.map(({ id }) => id)).toEqual([2, 3]);
    await rig.ring();
    expect(rig.held.map(({ id }) => id)).toEqual([2, 3, 4, 5]);
  });

  it("pauses longer after each error in a row, and counts from zero after a successful attempt", async () => {
    const rig = await Rig.start();
    const pauses: number[] = [];
    const pause = async () => {
      rig.held[0]?.fail();
      await settled();
      await rig.arm();
      const failedAt = Date.now();
      while (rig.held.length === 0) await rig.ring();
      pauses.push((Date.now() - failedAt) / PAUSE_MS);
    };
    rig.add(1);
    for (let fault = 0; fault < 3; fault += 1) await pause();
    expect(rig.drain.faults).toBe(3);
    rig.held[0]?.succeed();
    await settled();
    rig.add(2);
    await pause();
    // The lease of 100 s outlasts the shorter pauses.
    expect(pauses).toEqual([LEASE_MS / PAUSE_MS, 2, 3, LEASE_MS / PAUSE_MS]);
  });

  it("begins no attempt while the mailbox is paused, and continues when it is resumed", async () => {
    const rig = await Rig.start();
    const { settings } = rig.mailbox.life;
    await settings.pause(OPERATOR, null);
    rig.add(1);
    expect([rig.held, rig.drain.dues(Date.now())]).toEqual([[], []]);
    await settings.resume({ ...OPERATOR, whilePaused: true });
    expect(rig.drain.dues(Date.now())).toEqual([Date.now()]);
    rig.drain.pump(Date.now());
    expect(rig.held).toHaveLength(1);
  });

  it("aborts its attempts when the mailbox ends, and begins no more", async () => {
    const rig = await Rig.start();
    for (const id of [1, 2, 3]) rig.add(id);
    const signals = rig.held.map(({ signal }) => signal);
    rig.drain.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    for (const { fail } of rig.held) fail();
    await settled();
    expect([rig.held, rig.drain.dues(Date.now()), rig.rows.size]).toEqual([[], [], 3]);
  });

  it("makes at most maxAtOnce attempts at the same time, and sets no alarm for a row that waits for one of them to end", async () => {
    const rig = await Rig.start({ ...OPTIONS, heartbeatMs: null });
    for (const id of [1, 2, 3, 4, 5]) rig.rows.set(id, Date.now());
    rig.drain.pump(Date.now());
    expect(rig.held.map(({ id }) => id)).toEqual([1, 2]);
    expect(rig.drain.dues(Date.now())).toEqual([Date.now() + LEASE_MS]);
    rig.held[0]?.succeed();
    await settled();
    expect(rig.held.map(({ id }) => id)).toEqual([2, 3]);
  });
});
