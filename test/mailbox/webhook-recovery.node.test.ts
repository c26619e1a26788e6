import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { lastAfterRestore } from "../../src/lib/log-numbers.ts";
import { MAX_PROBES } from "../../src/webhooks/recovery.ts";
import { MAX_ATTEMPTS } from "../../src/webhooks/schedule.ts";
import { mailOf, ring, settled, TEST_CLOCK, useTestClock, wait } from "./node-drain.ts";
import { NodeMailbox, OPERATOR } from "./node-mailbox.ts";
import { runs } from "../runs.ts";

const OWN = "https://own.hooks.example/";
const ORDERS = "https://orders.hooks.example/";
const VARIABLES = { WEBHOOK_SECRET: "webhook-secret-for-tests-0123456789", DOH_URL: "" };
const HOUR_MS = 3_600_000;

interface Request {
  url: string;
  seq: number;
  ok: boolean;
  at: number;
  /** Whether the target was recovering or catching up. */
  isCatchingUp: boolean;
}

type TargetState = { label: string; status: string; recovery: string | null; failures: number };

/** A mailbox with a URL for all mail and one for a label, whose targets answer at once. */
class Rig {
  /** Whether the targets answer with 200. */
  isUp = true;
  readonly requests: Request[] = [];
  mails = 0;
  ordered: number[] = [];
  mailbox!: NodeMailbox;

  static async start({ recovery = true, days = 30 } = {}): Promise<Rig> {
    const rig = new Rig();
    vi.stubGlobal("fetch", async (url: string, { body }: { body: string }) => {
      const { seq } = JSON.parse(body) as { seq: number };
      const isCatchingUp = rig.targets.some(
        ({ label, recovery: text }) => text !== null && urlOf(label) === url,
      );
      rig.requests.push({ url, seq, ok: rig.isUp, at: Date.now(), isCatchingUp });
      return new Response("", { status: rig.isUp ? 200 : 503 });
    });
    rig.mailbox = await NodeMailbox.create(TEST_CLOCK, { ...VARIABLES, EVENT_RETENTION_DAYS: String(days) });
    rig.configure({ url: OWN, recovery });
    rig.webhooks.putWebhookRoute(OPERATOR, "orders", ORDERS);
    return rig;
  }

  get webhooks() {
    return this.mailbox.life.webhooks;
  }

  get targets(): TargetState[] {
    return this.mailbox.rows("SELECT label, status, recovery, failures FROM webhook_target ORDER BY label");
  }

  get statuses(): string[] {
    return this.targets.map(({ status }) => status);
  }

  get isCaughtUp(): boolean {
    const waiting = this.mailbox.rows("SELECT id FROM delivery WHERE due_at IS NOT NULL");
    return waiting.length === 0 && this.targets.every(({ recovery }) => recovery === null);
  }

  configure(webhook: { url?: string | null; recovery?: boolean }) {
    return this.mailbox.life.settings.configure(OPERATOR, { displayName: undefined, webhook });
  }

  async mail(isOrder = true): Promise<void> {
    this.mails += 1;
    if (isOrder) this.ordered.push(this.mails);
    await this.mailbox.life.receiving.receive(mailOf(`mail-${this.mails}`, isOrder ? ["orders"] : []));
    await settled();
  }

  async ringUntil(holds: () => boolean, turns = 400): Promise<void> {
    for (let turn = 0; turn < turns && !holds(); turn += 1) await ring(this.mailbox);
    if (!holds()) throw new Error("What was waited for did not happen");
  }

  /** The targets stop answering, and enough mail arrives for both to fail. */
  async fail(status = "recovering"): Promise<void> {
    this.isUp = false;
    for (let mail = 0; mail < 12; mail += 1) await this.mail();
    await this.ringUntil(() => this.statuses.every((one) => one === status));
  }

  arrived(url: string): number[] {
    return this.requests.filter((one) => one.ok && one.url === url).map(({ seq }) => seq);
  }

  /** Each rule of a catch-up that was broken. */
  broken(): string[] {
    const owed: [string, number[]][] = [
      [OWN, Array.from({ length: this.mails }, (_, index) => index + 1)],
      [ORDERS, this.ordered],
    ];
    return owed.flatMap(([url, events]) => {
      const arrived = this.arrived(url);
      const mine = this.requests.filter((one) => one.ok && one.url === url);
      return [
        ...events.filter((seq) => !arrived.includes(seq)).map((seq) => `${url} never got ${seq}`),
        ...arrived
          .filter((seq, index) => arrived.indexOf(seq) !== index)
          .map((seq) => `${url} got ${seq} twice`),
        ...arrived.filter((seq) => !events.includes(seq)).map((seq) => `${url} got ${seq} of others`),
        ...mine
          .filter(({ seq, isCatchingUp }, at) => {
            const before = mine[at - 1];
            return isCatchingUp && before?.isCatchingUp === true && before.seq > seq;
          })
          .map(({ seq }) => `${url} got ${seq} out of order`),
      ];
    });
  }
}

const urlOf = (label: string) => (label === "" ? OWN : ORDERS);

type Step =
  | { do: "mail"; isOrder: boolean }
  | { do: "wait"; ms: number }
  | { do: "ring" | "die" | "pause" | "url" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("mail" as const), isOrder: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(1, 1_000, 60_000, HOUR_MS, 7 * HOUR_MS, -HOUR_MS, -30 * HOUR_MS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("ring" as const, "die" as const, "pause" as const) }),
  },
);

async function take(rig: Rig, one: Step): Promise<void> {
  switch (one.do) {
    case "mail":
      return rig.mail(one.isOrder);
    case "wait":
      if (one.ms < 0) vi.setSystemTime(Date.now() + one.ms);
      else await wait(one.ms);
      return undefined;
    case "ring":
      await ring(rig.mailbox);
      return undefined;
    case "die":
      rig.mailbox.die();
      return settled();
    case "pause":
      await rig.mailbox.life.settings.pause(OPERATOR, null);
      await wait(HOUR_MS);
      await rig.mailbox.ring();
      await rig.mailbox.life.settings.resume({ ...OPERATOR, whilePaused: true });
      return settled();
    case "url":
      rig.configure({ url: OWN });
      return settled();
  }
}

describe("failed targets of a mailbox with recovery on", () => {
  useTestClock();

  it("get everything since their last success once they answer: in order, once, whatever happens meanwhile", async () => {
    const outage = fc.record({
      during: fc.array(step, { maxLength: 12 }),
      after: fc.array(fc.oneof(step, fc.constant<Step>({ do: "url" })), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(outage, { minLength: 1, maxLength: 2 }), async (outages) => {
        const rig = await Rig.start();
        await rig.mail();
        for (const { during, after } of outages) {
          await rig.fail();
          for (const one of during) await take(rig, one);
          expect(rig.mailbox.storage.alarm).not.toBeNull();
          rig.isUp = true;
          for (const one of after) await take(rig, one);
        }
        rig.isUp = true;
        await rig.ringUntil(() => rig.isCaughtUp);
        await rig.mail();
        await rig.ringUntil(() => rig.isCaughtUp);
        expect([rig.statuses, rig.broken()]).toEqual([["active", "active"], []]);
      }),
      { numRuns: runs(12), seed: 16 },
    );
  });

  it("are probed 1, 5 and 30 minutes after they failed, then hourly for three days, by their oldest undelivered event", async () => {
    const rig = await Rig.start();
    await rig.mail();
    await rig.fail();
    const failedAt = Date.now();
    const before = rig.requests.length;
    await rig.ringUntil(() => rig.statuses.every((one) => one === "failed"), 8 * MAX_PROBES);
    const probes = rig.requests.slice(before).filter(({ url }) => url === OWN);
    expect(probes.map(({ seq }) => seq)).toEqual(Array<number>(MAX_PROBES).fill(2));
    const minutes = probes.map(({ at }) => Math.round((at - failedAt) / 60_000));
    expect(minutes.slice(0, 5)).toEqual([1, 5, 30, 90, 150]);
    expect(minutes.at(-1)).toBe(72 * 60 + 30);
    // Nothing more comes, and the alarm does not ring for it.
    rig.isUp = true;
    await rig.mail();
    await wait(48 * HOUR_MS);
    await ring(rig.mailbox);
    expect(rig.arrived(OWN)).toEqual([1]);
  });

  it("ring the alarm for each probe and the end of its lease, and no more", async () => {
    const rig = await Rig.start();
    await rig.fail();
    const [failedAt, before] = [Date.now(), rig.requests.length];
    let rings = 0;
    for (; Date.now() < failedAt + 12 * HOUR_MS; rings += 1) await ring(rig.mailbox);
    expect(rings).toBeLessThanOrEqual(2 * (rig.requests.length - before));
  });

  it("get events that come while they catch up after those that they missed", async () => {
    const rig = await Rig.start();
    await rig.fail();
    rig.isUp = true;
    const answer = rig.mailbox.ring();
    await answer;
    vi.advanceTimersByTime(60_000);
    void rig.mailbox.ring();
    await rig.mail();
    await rig.mail();
    await rig.ringUntil(() => rig.isCaughtUp);
    expect(rig.arrived(OWN)).toEqual(Array.from({ length: rig.mails }, (_, index) => index + 1));
  });

  it("say which events the log no longer holds", async () => {
    const rig = await Rig.start({ days: 1 });
    await rig.fail();
    // The log is erased by an alarm of its own while the target does not answer.
    const oldest = () => rig.mailbox.life.log.oldestSeq(rig.mailbox.account);
    await rig.ringUntil(() => oldest() > 12, 200);
    await rig.mail();
    rig.isUp = true;
    await rig.ringUntil(() => rig.isCaughtUp);
    expect(rig.statuses).toEqual(["active", "active"]);
    expect(rig.arrived(OWN)).toEqual([13]);
    const info = rig.configure({});
    expect(info).toMatchObject({ value: { webhook_missed: { from_seq: 1, to_seq: 12 } } });
    expect(rig.webhooks.webhookRoutes(OPERATOR)).toMatchObject({
      value: { routes: [{ missed: { from_seq: 1, to_seq: 12 } }] },
    });
    const again = rig.configure({ url: OWN });
    expect(again.ok && again.value).not.toHaveProperty("webhook_missed");
  });

  it("get what is kept of before a restore from a backup, and its owner is told which numbers are lost", async () => {
    const rig = await Rig.start();
    await rig.fail();
    const { account, life } = rig.mailbox;
    life.context.commit(() => {
      account.row.last_event = lastAfterRestore(12);
      account.writeLastEvent();
    });
    await rig.mail();
    rig.isUp = true;
    await rig.ringUntil(() => rig.isCaughtUp);
    const kept = Array.from({ length: 12 }, (_, index) => index + 1);
    expect(rig.arrived(OWN)).toEqual([...kept, 2_000_001]);
    expect(rig.configure({})).toMatchObject({
      value: { webhook_missed: { from_seq: 13, to_seq: 2_000_000 } },
    });
  });

  it("catch up with many events a page at a time", async () => {
    const rig = await Rig.start();
    await rig.fail();
    const data = rig.mailbox.rows<{ data: string }>("SELECT data FROM event WHERE seq = 1")[0]?.data ?? "";
    rig.mailbox.life.context.commit(() => {
      for (let seq = 13; seq <= 1_500; seq += 1) {
        rig.mailbox.life.log.append(rig.mailbox.account, {
          kind: "message.received",
          at: Date.now(),
          data: { ...JSON.parse(data), labels: seq % 1_200 === 0 ? ["orders"] : [] },
        });
      }
      rig.mailbox.account.writeLastEvent();
    });
    rig.isUp = true;
    let most = 0;
    for (let turn = 0; turn < 8_000 && !rig.isCaughtUp; turn += 1) {
      const [row] = rig.mailbox.rows<{ n: number }>(
        "SELECT count(*) AS n FROM delivery WHERE due_at IS NOT NULL",
      );
      most = Math.max(most, row?.n ?? 0);
      if (rig.arrived(OWN).length === 0) await ring(rig.mailbox);
      else await settled();
    }
    expect(rig.arrived(OWN)).toEqual(Array.from({ length: 1_500 }, (_, index) => index + 1));
    expect(rig.arrived(ORDERS)).toEqual([...Array.from({ length: 12 }, (_, index) => index + 1), 1_200]);
    expect(most).toBeLessThanOrEqual(200);
  }, 60_000);
});

describe("the owner of a mailbox", () => {
  useTestClock();

  it("gets nothing more at a failed target unless recovery is on, and can turn it on later", async () => {
    const rig = await Rig.start({ recovery: false });
    await rig.fail("failed");
    const before = rig.requests.length;
    rig.isUp = true;
    await wait(5 * HOUR_MS);
    await rig.mail();
    await wait(5 * HOUR_MS);
    expect(rig.requests).toHaveLength(before);
    rig.configure({ recovery: true });
    expect(rig.statuses).toEqual(["recovering", "recovering"]);
    await rig.ringUntil(() => rig.isCaughtUp);
    expect(rig.broken()).toEqual([]);
  });

  it("ends recovery by turning it off, and at once by setting the URL", async () => {
    const rig = await Rig.start();
    await rig.fail();
    rig.configure({ recovery: false });
    expect(rig.statuses).toEqual(["failed", "failed"]);
    rig.configure({ recovery: true });
    rig.isUp = true;
    rig.configure({ url: OWN });
    await settled();
    await rig.ringUntil(() => rig.isCaughtUp);
    expect(rig.broken()).toEqual([]);
    // A target that failed without recovery gets nothing old when its URL is set.
    rig.configure({ recovery: false });
    await rig.fail("failed");
    rig.isUp = true;
    const before = rig.requests.length;
    rig.configure({ url: OWN });
    await wait(HOUR_MS);
    expect(rig.requests).toHaveLength(before);
  });

  it("is told by replay which targets have failed, and that none got a delivery", async () => {
    const rig = await Rig.start();
    await rig.fail();
    const range = { from: 1, to: null };
    expect(rig.webhooks.replayWebhooks(OPERATOR, range)).toMatchObject({
      ok: false,
      error: { code: "conflict", fix: expect.stringContaining("PATCH /v1/mailbox") },
    });
    rig.isUp = true;
    rig.configure({ recovery: false });
    rig.webhooks.putWebhookRoute(OPERATOR, "orders", ORDERS);
    expect(rig.webhooks.replayWebhooks(OPERATOR, range)).toMatchObject({
      value: {
        events: 12,
        deliveries: 12,
        failed_targets: [{ label: null, webhook_url: OWN, status: "failed" }],
      },
    });
    await rig.mail(false);
    expect(rig.webhooks.replayWebhooks(OPERATOR, { from: 13, to: null })).toMatchObject({
      ok: false,
      error: { code: "conflict" },
    });
  });

  it("loses the recovery with the target, and with the mailbox", async () => {
    const rig = await Rig.start();
    await rig.fail();
    rig.webhooks.removeWebhookRoute(OPERATOR, "orders");
    rig.configure({ url: null });
    const before = rig.requests.length;
    await wait(HOUR_MS);
    await ring(rig.mailbox);
    expect([rig.targets, rig.requests.length]).toEqual([[], before]);
    expect(
      Math.max(...rig.mailbox.rows<{ n: number }>("SELECT attempts AS n FROM delivery").map(({ n }) => n)),
    ).toBe(MAX_ATTEMPTS);
  });
});
