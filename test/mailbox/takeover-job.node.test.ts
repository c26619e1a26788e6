import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Metadata } from "../../src/contract/message.ts";
import { notFound, type Answer, type Problem } from "../../src/contract/problem.ts";
import type { MailboxRules } from "../../src/contract/rules.ts";
import { done, refused } from "../../src/lib/outcome.ts";
import { readCursor, writeCursor } from "../../src/mailbox/page.ts";
import type { InboundPage } from "../../src/mailbox/messages/reindex.ts";
import type { TakenMessage, TakeoverSource, TakeoverTools } from "../../src/mailbox/takeover/takeover.ts";
import { despiteFaults, holdsForAll, ring, settled, TEST_CLOCK, useTestClock, wait } from "./node-drain.ts";
import { NodeMailbox } from "./node-mailbox.ts";

const RETRY_MS = 30_000;
const FULL_RETRY_MS = 600_000;
const MESSAGES = [11, 12, 13, 14, 15];
const PAGE = 2;
const FULL: Problem = { code: "mailbox_full", error: "Full" };
const METADATA: Metadata = {
  envelope_from: "",
  envelope_to: "",
  received_via: "smtp",
  date: null,
  parse_status: "parsed",
  parse_faults: [],
};

const RULES: MailboxRules = {
  receive: { mode: "listed", allow: [{ match: "example.com" }], block: [] },
  changes: [],
};

/** A call of the temporary mailbox, or of this one, that was not answered. */
interface Held {
  what: string;
  process: number;
  succeed: () => void;
  fail: () => void;
}

type Row = { due_at: number | null; position: number; messages: number };

/** A mailbox that takes over the mail of another one, whose calls are answered when the test says so. */
class Rig {
  held: Held[] = [];
  readonly copied: number[] = [];
  readonly broken: string[] = [];
  isFull = false;
  isGone = false;
  #process = 0;
  mailbox!: NodeMailbox;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    const takeover: TakeoverTools = {
      sourceOf: () => rig.#source(),
      receive: (_raw, _metadata, taken) => rig.#call("receive", () => rig.#receive(taken)),
    };
    rig.mailbox = await NodeMailbox.create({ ...TEST_CLOCK, takeover });
    const { context, takeover: job } = rig.mailbox.life;
    context.write(() => job.begin({ from: "temp@mailkeep.test", secretHash: "" }, Date.now()));
    await context.arm();
    return rig;
  }

  #source(): TakeoverSource {
    return {
      page: (cursor) =>
        this.#call("page", () => (this.isGone ? refused(notFound("Mailbox")) : done(this.#page(cursor)))),
      rules: () => this.#call("rules", () => (this.isGone ? refused(notFound("Mailbox")) : done(RULES))),
      raw: () => this.#call("raw", () => done({ raw: new Uint8Array() })),
      secrets: () => Promise.resolve(done([])),
      hold: () => Promise.resolve(),
    };
  }

  #page(cursor: string | null): InboundPage {
    const read = cursor === null ? done([0]) : readCursor(cursor, 1);
    const [after = 0] = read.ok ? read.value : [];
    const left = MESSAGES.filter((seq) => seq > after);
    const messages = left.slice(0, PAGE).map((seq) => ({
      id: `${seq}`,
      seq,
      receivedAt: 0,
      codeTaken: false,
      metadata: METADATA,
      authentication: null,
      isLarge: false,
    }));
    const nextCursor = left.length > PAGE ? writeCursor(messages.at(-1)?.seq ?? 0) : null;
    return { messages, nextCursor };
  }

  #receive({ position }: TakenMessage): Answer<unknown> {
    if (this.isFull) return refused(FULL);
    const { context, takeover } = this.mailbox.life;
    if (context.write(() => takeover.advance(position))) this.copied.push(position);
    return done(null);
  }

  #call<T>(what: string, work: () => T): Promise<T> {
    const process = this.#process;
    if (this.alive.length > 0) this.broken.push(`${what} beside ${this.alive.map((one) => one.what).join()}`);
    return new Promise((resolve, reject) => {
      const end = (answer: () => void) => {
        this.held = this.held.filter((one) => one !== held);
        answer();
      };
      const succeed = () => {
        // A message of a dead process arrives, if at all, before its death.
        if (what === "receive" && process !== this.#process) return reject(new Error("died"));
        try {
          resolve(work());
        } catch (error) {
          reject(error as Error);
        }
      };
      const held: Held = {
        what,
        process,
        succeed: () => end(succeed),
        fail: () => end(() => reject(new Error("The network is down"))),
      };
      this.held.push(held);
    });
  }

  get alive(): Held[] {
    return this.held.filter(({ process }) => process === this.#process);
  }

  get row(): Row | null {
    return this.mailbox.rows<Row>("SELECT due_at, position, messages FROM take_over")[0] ?? null;
  }

  die(): void {
    this.#process += 1;
    this.mailbox.die();
  }

  check(): string[] {
    const { row } = this;
    const isWaiting = row !== null && row.due_at !== null;
    const copied = MESSAGES.slice(0, this.copied.length);
    return [
      ...this.broken,
      ...this.mailbox.storage.late.map((query) => `written by a dead process: ${query}`),
      ...(JSON.stringify(this.copied) === JSON.stringify(copied) ? [] : [`copied ${this.copied.join()}`]),
      ...(isWaiting && this.mailbox.storage.alarm === null ? ["has no alarm"] : []),
      ...(!isWaiting && this.alive.length > 0 ? ["goes on without a lease"] : []),
      ...(!isWaiting && !this.isGone && this.copied.length < MESSAGES.length ? ["forgets the rest"] : []),
    ];
  }

  /** Nothing fails any more. The alarm alone goes on. */
  async finish(): Promise<void> {
    this.mailbox.storage.failing = 0;
    this.isFull = false;
    for (let turn = 0; turn < 100 && this.row?.due_at !== null; turn += 1) {
      while (this.held.length > 0) {
        for (const { succeed } of this.held) succeed();
        await settled();
        // Between two messages others have their turn.
        await wait(1);
      }
      await ring(this.mailbox);
    }
  }
}

type Step =
  | { do: "answer"; at: number; isWell: boolean }
  | { do: "wait"; ms: number }
  | { do: "fail" | "ring" | "die" | "full" | "room" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      at: fc.nat(3),
      isWell: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, RETRY_MS, FULL_RETRY_MS),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(...(["fail", "ring", "ring", "ring", "die", "full", "room"] as const)),
    }),
  },
);

async function take(rig: Rig, one: Step): Promise<void> {
  switch (one.do) {
    case "answer": {
      const held = rig.held[one.at % Math.max(1, rig.held.length)];
      if (one.isWell) held?.succeed();
      else held?.fail();
      await settled();
      return wait(1);
    }
    case "wait":
      return wait(one.ms);
    case "ring":
      return despiteFaults(() => ring(rig.mailbox));
    case "fail":
      rig.mailbox.storage.failing = 1;
      return undefined;
    case "die":
      rig.die();
      return settled();
    case "full":
    case "room":
      rig.isFull = one.do === "full";
      return undefined;
  }
}

describe("the copy of a temporary mailbox's mail", () => {
  useTestClock();

  it("has every message once and in order, and never runs twice at the same time, whatever process dies or call fails", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) {
        await take(rig, one);
        expect(rig.check()).toEqual([]);
      }
      await rig.finish();
      expect([rig.check(), rig.copied, rig.row]).toEqual([
        [],
        MESSAGES,
        { due_at: null, position: MESSAGES.at(-1), messages: MESSAGES.length },
      ]);
      await ring(rig.mailbox);
      expect(rig.held).toEqual([]);
    });
  });

  it("writes nothing after the mailbox has ended", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) await take(rig, one);
      rig.mailbox.storage.failing = 0;
      await rig.mailbox.life.lifecycle.end();
      rig.isFull = true;
      for (const held of rig.held) held.succeed();
      await wait(FULL_RETRY_MS);
      expect(rig.mailbox.storage.late).toEqual([]);
    });
  });

  it("makes no further call after its process has died", async () => {
    const rig = await Rig.start();
    await ring(rig.mailbox);
    for (let call = 0; call < 2; call += 1) {
      rig.held[0]?.succeed();
      await settled();
    }
    const [raw] = rig.held;
    rig.die();
    raw?.succeed();
    await settled();
    expect([raw?.what, rig.held, rig.mailbox.storage.late]).toEqual(["raw", [], []]);
  });

  it("renews its lease as long as it runs, and is retried 30 s after a failure", async () => {
    const rig = await Rig.start();
    await ring(rig.mailbox);
    const begun = Date.now();
    for (let lease = 1; lease <= 3; lease += 1) {
      expect(rig.row?.due_at).toBe(begun + lease * RETRY_MS);
      await ring(rig.mailbox);
    }
    rig.held[0]?.fail();
    await settled();
    await ring(rig.mailbox);
    expect([rig.held.map(({ what }) => what), Date.now() - begun]).toEqual([["rules"], 4 * RETRY_MS]);
  });

  it("waits ten minutes if the mailbox is full, and ends if the temporary mailbox no longer exists", async () => {
    const rig = await Rig.start();
    rig.isFull = true;
    await ring(rig.mailbox);
    for (let call = 0; call < 4; call += 1) {
      rig.held[0]?.succeed();
      await settled();
    }
    expect(rig.row?.due_at).toBe(Date.now() + FULL_RETRY_MS);
    expect(rig.mailbox.life.takeover.progress()?.error).toContain("Full");
    rig.isGone = true;
    await ring(rig.mailbox);
    rig.held[0]?.succeed();
    await settled();
    expect(rig.row?.due_at).toBeNull();
  });
});
