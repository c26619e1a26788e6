import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { LEASE_MS } from "../../src/mailbox/webhooks/job.ts";
import { MAX_ATTEMPTS, MAX_CONCURRENT, MAX_PER_TARGET } from "../../src/webhooks/schedule.ts";
import {
  despiteFaults,
  holdsForAll,
  mailOf,
  ring,
  settled,
  TEST_CLOCK,
  useTestClock,
  wait,
} from "./node-drain.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";

const LABELS = ["a", "b", "c"];
const urlOf = (label: string) => `https://${label === "" ? "own" : label}.hooks.example/`;

/** Who may resume a paused mailbox. */
const RESUMER = { ...OPERATOR, whilePaused: true };

/** A request that a target was sent and has not answered. */
interface Held {
  url: string;
  /** `webhook-id` and URL: names the delivery, as no event goes twice to one URL here. */
  delivery: string;
  process: number;
  answer: (status: number | null) => void;
}

type Row = { state: string; due_at: number | null; begun_at: number | null; attempts: number };

/** A mailbox with a URL for all mail and one for each label, whose targets answer when the test says so. */
class Rig {
  held: Held[] = [];
  /** Requests of each delivery. */
  readonly requests = new Map<string, number>();
  /** Rules that were broken. */
  readonly broken: string[] = [];
  /** Whether a process died, or the outcome of an attempt could not be written. */
  isHurt = false;
  #process = 0;
  #mails = 0;
  mailbox!: NodeMailbox;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    vi.stubGlobal("fetch", (input: string, init: RequestInit) => rig.#fetch(input, init));
    const variables = { WEBHOOK_SECRET: "webhook-secret-for-tests-0123456789", DOH_URL: "" };
    rig.mailbox = await NodeMailbox.create(TEST_CLOCK, variables);
    const { settings, webhooks } = rig.mailbox.life;
    settings.configure(OPERATOR, { displayName: undefined, webhook: { url: urlOf("") } });
    for (const label of LABELS) webhooks.putWebhookRoute(OPERATOR, label, urlOf(label));
    return rig;
  }

  get alive(): Held[] {
    return this.held.filter(({ process }) => process === this.#process);
  }

  #fetch(url: string, { headers, signal }: RequestInit): Promise<Response> {
    const delivery = `${new Headers(headers).get("webhook-id")} ${url}`;
    const process = this.#process;
    if (this.alive.some((one) => one.delivery === delivery)) this.broken.push(`twice at once: ${delivery}`);
    this.requests.set(delivery, (this.requests.get(delivery) ?? 0) + 1);
    return new Promise((resolve, reject) => {
      const answer: Held["answer"] = (status) => {
        this.held = this.held.filter((one) => one !== held);
        if (status === null) reject(new TypeError("connection refused"));
        else resolve(new Response("", { status }));
      };
      const held: Held = { url, delivery, process, answer };
      signal?.addEventListener("abort", () => answer(null));
      this.held.push(held);
    });
  }

  async mail(labels: string[]): Promise<void> {
    this.#mails += 1;
    await this.mailbox.life.receiving.receive(mailOf(`mail-${this.#mails}`, labels));
    await settled();
  }

  die(): void {
    this.isHurt = true;
    this.#process += 1;
    this.mailbox.die();
  }

  get rows(): Row[] {
    return this.mailbox.rows("SELECT state, due_at, begun_at, attempts FROM delivery");
  }

  /** Adds each rule that is broken now. */
  check(): string[] {
    const { rows, alive } = this;
    const pending = rows.filter(({ state }) => state === "pending");
    const isActive = this.mailbox.account.row.status === "active";
    const perTarget = (url: string) => alive.filter((one) => one.url === url).length;
    const most = MAX_ATTEMPTS + Number(this.isHurt);
    return [
      ...this.broken,
      ...this.mailbox.storage.late.map((query) => `written by a dead process: ${query}`),
      ...(alive.length > MAX_CONCURRENT ? ["too many at once"] : []),
      ...alive.filter(({ url }) => perTarget(url) > MAX_PER_TARGET).map(({ url }) => `too many of ${url}`),
      ...(pending.some(({ due_at }) => due_at === null) ? ["waits without a time"] : []),
      ...(isActive && pending.length > 0 && this.mailbox.storage.alarm === null ? ["has no alarm"] : []),
      ...(pending.filter(({ begun_at }) => begun_at !== null).length < alive.length - this.#cancelled
        ? ["under way without a lease"]
        : []),
      ...[...this.requests].filter(([, count]) => count > most).map(([one]) => `too often: ${one}`),
    ];
  }

  /** Deliveries that were cancelled while they were under way have no lease any more. */
  get #cancelled(): number {
    return this.rows.filter(({ state }) => state === "cancelled").length;
  }
}

type Step =
  | { do: "mail"; labels: string[] }
  | { do: "answer"; at: number; status: number | null }
  | { do: "wait"; ms: number }
  | { do: "fail"; writes: number }
  | { do: "ring" | "die" | "pause" | "resume" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("mail" as const), labels: fc.subarray(LABELS) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      at: fc.nat(5),
      status: fc.constantFrom(200, 500, null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 1_000, 3_000, 8_000, LEASE_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("fail" as const), writes: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "ring" as const,
        "ring" as const,
        "die" as const,
        "pause" as const,
        "resume" as const,
      ),
    }),
  },
);

async function take(rig: Rig, one: Step): Promise<void> {
  const { life } = rig.mailbox;
  switch (one.do) {
    case "mail":
      return despiteFaults(() => rig.mail(one.labels));
    case "answer": {
      // Those of dead processes too: their answers come to nobody.
      rig.held[one.at % Math.max(1, rig.held.length)]?.answer(one.status);
      return settled();
    }
    case "wait":
      return wait(one.ms);
    case "fail":
      rig.isHurt = true;
      rig.mailbox.storage.failing = one.writes;
      return undefined;
    case "ring":
      return despiteFaults(() => ring(rig.mailbox));
    case "die":
      rig.die();
      return settled();
    case "pause":
      return despiteFaults(() => life.settings.pause(OPERATOR, null));
    case "resume":
      return despiteFaults(() => life.settings.resume(RESUMER));
  }
}

/** Nothing fails any more, and every target answers `status`. The alarm alone goes on. */
async function finish(rig: Rig, status: number): Promise<void> {
  rig.mailbox.storage.failing = 0;
  await rig.mailbox.life.settings.resume(RESUMER);
  for (let turn = 0; turn < 300; turn += 1) {
    while (rig.held.length > 0) {
      for (const { answer } of rig.held) answer(status);
      await settled();
    }
    if (rig.rows.every(({ state }) => state !== "pending")) return;
    await ring(rig.mailbox);
  }
}

describe("the webhooks of a mailbox", () => {
  useTestClock();

  it("are attempted at most four times and never twice at the same time, and all end, whatever process dies or call fails", async () => {
    await holdsForAll(step, async (steps) => {
      const rig = await Rig.start();
      for (const one of steps) {
        await take(rig, one);
        expect(rig.check()).toEqual([]);
      }
      await finish(rig, 200);
      expect([rig.check(), rig.rows.filter(({ state }) => state === "pending")]).toEqual([[], []]);
    });
  });

  it("write nothing once their mailbox has ended", async () => {
    await holdsForAll(
      step,
      async (steps) => {
        const rig = await Rig.start();
        for (const one of steps) await take(rig, one);
        rig.mailbox.storage.failing = 0;
        await rig.mailbox.life.lifecycle.end();
        for (const { answer } of rig.held) answer(200);
        await wait(LEASE_MS);
        expect(rig.mailbox.storage.late).toEqual([]);
      },
      20,
    );
  });

  it("are attempted a fifth time only if the process died during the fourth attempt", async () => {
    const rig = await Rig.start();
    await rig.mail([]);
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      rig.held[0]?.answer(500);
      await settled();
      await ring(rig.mailbox);
    }
    expect([...rig.requests.values()]).toEqual([MAX_ATTEMPTS]);
    rig.die();
    while (rig.alive.length === 0) await ring(rig.mailbox);
    expect([...rig.requests.values()]).toEqual([MAX_ATTEMPTS + 1]);
    rig.die();
    while (rig.rows[0]?.state === "pending") await ring(rig.mailbox);
    expect([...rig.requests.values()]).toEqual([MAX_ATTEMPTS + 1]);
    expect(rig.rows).toMatchObject([{ state: "failed", attempts: MAX_ATTEMPTS + 1, due_at: null }]);
  });

  it("are delayed by 30 s at a target whose rows cannot be written, and continue at others", async () => {
    const rig = await Rig.start();
    rig.mailbox.storage.sql
      .exec(`CREATE TRIGGER stuck BEFORE UPDATE ON delivery WHEN old.label = 'a' AND new.attempts > 0
      BEGIN SELECT RAISE(ABORT, 'disk is full'); END`);
    const failedAt = Date.now();
    await rig.mail(["a", "b"]);
    expect(rig.held.map(({ url }) => url).toSorted()).toEqual([urlOf("b"), urlOf("")].toSorted());
    rig.mailbox.storage.sql.exec("DROP TRIGGER stuck");
    for (const { answer } of rig.held) answer(200);
    await settled();
    await wait(29_000);
    await rig.mail(["b"]);
    expect(rig.held.map(({ url }) => url).toSorted()).toEqual([urlOf("b"), urlOf("")].toSorted());
    while (Date.now() < failedAt + 30_000) await ring(rig.mailbox);
    expect(rig.held.map(({ url }) => url)).toContain(urlOf("a"));
    expect(Date.now() - failedAt).toBe(30_000);
  });
});
