import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HALTED_HINT } from "../../src/contract/sending-state.ts";
import { idOf } from "../../src/lib/ids.ts";
import { RELIED_MS } from "../../src/service/sending-switch.ts";
import { OPERATOR } from "./node-mailbox.ts";
import { INSIDE, OUTSIDE, Rig } from "./sending-rig.ts";

/** Every mailbox with waiting messages looks again within this time. */
const MINUTE_MS = 60_000;
const ONE = OUTSIDE.slice(0, 1);

// The alarm clock of an actor reads the clock of the system.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

function setClock(rig: Rig, nowMs: number): void {
  rig.mailbox.nowMs = nowMs;
  vi.setSystemTime(nowMs);
}

function advance(rig: Rig, ms: number): void {
  setClock(rig, rig.mailbox.nowMs + ms);
}

async function startRig(): Promise<Rig> {
  const rig = await Rig.start();
  advance(rig, 0);
  return rig;
}

async function haltedRig(): Promise<Rig> {
  const rig = await startRig();
  rig.halt = { at: rig.mailbox.nowMs, reason: "A key leaked" };
  return rig;
}

/** Everyone to whom a message was offered in this moment, in order; all of them take it. */
async function offered(rig: Rig): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const held = [...rig.held.inside, ...rig.held.outside];
    if (held.length === 0) return found;
    for (const { mail, answer } of held) {
      found.push(...mail.recipients);
      answer(["taken", "taken"]);
    }
    await rig.settled();
  }
}

/** Lets the alarm ring whenever it is due until `ms` from now. Answers how often it rang. */
async function ringFor(rig: Rig, ms: number): Promise<number> {
  const untilMs = rig.mailbox.nowMs + ms;
  for (let rung = 0; ; rung += 1) {
    const { alarm } = rig.mailbox.storage;
    if (alarm === null || alarm > untilMs || rung > 1_000) {
      setClock(rig, untilMs);
      return rung;
    }
    setClock(rig, Math.max(rig.mailbox.nowMs, alarm));
    await rig.mailbox.ring();
    await rig.settled();
  }
}

async function deliveryOf(rig: Rig, seq: number) {
  const read = await rig.mailbox.life.reading.readEmail(OPERATOR, idOf(seq, rig.mailbox.account.idTail));
  if (!read.ok) throw new Error(read.error.error);
  return (JSON.parse(read.value.text) as { delivery: unknown[] }).delivery;
}

describe("while all sending is halted", () => {
  it("a message is accepted and waits, inside and outside, and the answer says why", async () => {
    const rig = await haltedRig();
    const sent = await rig.accept([...INSIDE, ...OUTSIDE]);
    expect(sent).toMatchObject({ status: "queued", delivery_status: "queued", hint: HALTED_HINT });
    await ringFor(rig, 60 * MINUTE_MS);
    expect(await offered(rig)).toEqual([]);
    const seq = rig.mailbox.account.row.last_seq;
    expect(await deliveryOf(rig, seq)).toEqual(
      [...INSIDE, ...OUTSIDE].map((recipient) =>
        expect.objectContaining({
          recipient,
          status: "queued",
          halted: true,
          diagnostic: null,
          next_attempt_at: null,
        }),
      ),
    );
  });

  it("a call that waits for the first attempt is answered as soon as the halt is known", async () => {
    const rig = await haltedRig();
    const sent = await rig.accept(ONE, 30);
    expect(sent).toMatchObject({ status: "queued", hint: HALTED_HINT });
  });

  it("the alarm rings twice a minute at most, and each time one call asks for the state", async () => {
    const rig = await haltedRig();
    for (let count = 0; count < 5; count += 1) await rig.accept(ONE);
    await ringFor(rig, MINUTE_MS);
    const before = rig.asked;
    const rung = await ringFor(rig, 60 * MINUTE_MS);
    expect(rung).toBeGreaterThanOrEqual(60);
    expect(rung).toBeLessThanOrEqual(90);
    expect(rig.asked - before).toBe(rung);
  });

  it("a paused mailbox asks for nothing", async () => {
    const rig = await haltedRig();
    await rig.send(ONE);
    await rig.mailbox.life.settings.pause(OPERATOR, null);
    const before = rig.asked;
    await ringFor(rig, 60 * MINUTE_MS);
    expect(rig.asked).toBe(before);
  });
});

describe("a halt", () => {
  it("stops all attempts after 5 seconds in a process that read before it that sending was not halted", async () => {
    const rig = await startRig();
    await rig.send(ONE);
    await rig.pump();
    expect(await offered(rig)).toEqual(ONE);
    rig.halt = { at: rig.mailbox.nowMs, reason: null };
    advance(rig, RELIED_MS);
    await rig.accept(ONE);
    await rig.pump();
    expect(await offered(rig)).toEqual([]);
  });

  it("lets the copy that is under way end, and no further copy of its message begin", async () => {
    const rig = await startRig();
    const seq = await rig.send(OUTSIDE);
    await rig.pump();
    rig.halt = { at: rig.mailbox.nowMs, reason: null };
    advance(rig, RELIED_MS);
    rig.held.outside[0]?.answer(["taken"]);
    await rig.settled();
    expect(rig.held.outside).toEqual([]);
    expect(rig.outbox.recipients(seq).map(({ state }) => state)).toEqual(["sent", "queued"]);
    // The attempt does not count: a message that is halted eight times is not given up.
    expect(rig.outbox.find(seq)?.tries.outside).toMatchObject({ made: 0, unended: 0 });
    rig.halt = null;
    await ringFor(rig, MINUTE_MS);
    expect(await offered(rig)).toEqual(OUTSIDE.slice(1));
  });

  it("uses up no attempt and no time of a message, however long it lasts", async () => {
    const rig = await haltedRig();
    const seq = await rig.send(ONE);
    await ringFor(rig, 30 * 24 * 60 * MINUTE_MS);
    rig.halt = null;
    await ringFor(rig, MINUTE_MS);
    expect(rig.outbox.find(seq)?.tries.outside).toMatchObject({ made: 0, unended: 1 });
    expect(await offered(rig)).toEqual(ONE);
  });
});

describe("when sending is resumed", () => {
  it("every message that waited goes out within a minute, each once, in the order of acceptance", async () => {
    const rig = await haltedRig();
    const to = Array.from({ length: 6 }, (_, index) => `r${index}@example.net`);
    for (const address of to) {
      await rig.accept([address]);
      advance(rig, 1_000);
    }
    await ringFor(rig, 10 * MINUTE_MS);
    rig.halt = null;
    await ringFor(rig, MINUTE_MS);
    expect(await offered(rig)).toEqual(to);
    await ringFor(rig, 60 * MINUTE_MS);
    expect(await offered(rig)).toEqual([]);
    expect(rig.events.map(({ kind }) => kind)).toEqual(to.map(() => "message.sent"));
  });

  it("a message goes out within a minute although the process died in between, and no request woke the mailbox", async () => {
    const rig = await haltedRig();
    await rig.accept(ONE);
    await ringFor(rig, 5 * MINUTE_MS);
    rig.die();
    await ringFor(rig, 5 * MINUTE_MS);
    expect(await offered(rig)).toEqual([]);
    rig.halt = null;
    rig.die();
    await ringFor(rig, MINUTE_MS);
    expect(await offered(rig)).toEqual(ONE);
  });

  it("a message that a dead process left between two copies goes out once to each who lacks it", async () => {
    const rig = await startRig();
    await rig.send(OUTSIDE);
    await rig.pump();
    await rig.held.outside[0]?.mail.beforeEnd();
    rig.held.outside[0]?.answer(["taken"]);
    await rig.settled();
    rig.halt = { at: rig.mailbox.nowMs, reason: null };
    rig.die();
    await ringFor(rig, 5 * MINUTE_MS);
    expect(await offered(rig)).toEqual([]);
    rig.halt = null;
    await ringFor(rig, MINUTE_MS);
    expect(await offered(rig)).toEqual(OUTSIDE.slice(1));
  });

  it("an answer no longer says that sending is halted", async () => {
    const rig = await haltedRig();
    await rig.accept(ONE);
    rig.halt = null;
    await ringFor(rig, MINUTE_MS);
    expect(await rig.accept(ONE)).not.toHaveProperty("hint", HALTED_HINT);
  });
});

describe("while nobody answers whether sending is halted", () => {
  it("messages wait, and go out within a minute after the first answer", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const rig = await startRig();
    rig.isSilent = true;
    expect(await rig.accept(ONE)).not.toHaveProperty("hint", HALTED_HINT);
    await ringFor(rig, 10 * MINUTE_MS);
    expect(await offered(rig)).toEqual([]);
    expect(error).toHaveBeenCalledWith(expect.stringContaining("could not be read"), expect.any(Error));
    rig.isSilent = false;
    await ringFor(rig, MINUTE_MS);
    expect(await offered(rig)).toEqual(ONE);
    error.mockRestore();
  });

  it("messages wait also where it was read that sending is not halted, but longer than 5 seconds ago", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const rig = await startRig();
    await rig.accept(ONE);
    await rig.pump();
    expect(await offered(rig)).toEqual(ONE);
    rig.isSilent = true;
    advance(rig, RELIED_MS - 1);
    await rig.accept(ONE);
    await rig.pump();
    expect(await offered(rig)).toEqual(ONE);
    advance(rig, 1);
    await rig.accept(ONE);
    await rig.pump();
    expect(await offered(rig)).toEqual([]);
    error.mockRestore();
  });
});

describe("a mailbox that sends", () => {
  it("asks once in 5 seconds, however many messages it sends", async () => {
    const rig = await startRig();
    for (let count = 0; count < 10; count += 1) {
      await rig.accept(ONE);
      await rig.pump();
      expect(await offered(rig)).toEqual(ONE);
    }
    expect(rig.asked).toBe(1);
    advance(rig, RELIED_MS);
    await rig.accept(ONE);
    await rig.pump();
    expect(rig.asked).toBe(2);
  });

  it("goes on if the clock is set back", async () => {
    const rig = await haltedRig();
    await rig.accept(ONE);
    rig.halt = null;
    advance(rig, -24 * 60 * MINUTE_MS);
    rig.mailbox.life.sendingJob.pump(rig.mailbox.nowMs);
    await rig.settled();
    // The message is due in a day by this clock; a new one goes out at once.
    await rig.accept(OUTSIDE.slice(1));
    await rig.pump();
    expect(await offered(rig)).toEqual(OUTSIDE.slice(1));
  });
});
