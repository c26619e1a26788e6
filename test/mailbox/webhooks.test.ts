import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { locatorOf } from "../../src/contract/key.ts";
import { VERSION } from "../../src/contract/product.ts";
import { LEASE_MS } from "../../src/mailbox/webhooks/job.ts";
import {
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  kill,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";
import {
  broken,
  configure,
  deliveriesOf,
  drain,
  endOutside,
  hanging,
  hasQuietAlarm,
  holdAlarms,
  HOOK,
  hooked,
  later,
  LETTERS,
  newsletter,
  ok,
  outside,
  receive,
  route,
  settled,
  until,
} from "../webhook-target.ts";

/** Delays before the attempts, in ms (docs/limits.md#webhooks). */
const DELAYS_MS = [0, 1_000, 3_000, 8_000];

beforeEach(holdAlarms);
afterEach(endOutside);

describe("a webhook", () => {
  it("describes a received email in twelve documented fields, and its place in the log", async () => {
    const world = outside();
    const box = await hooked();
    const { body } = await receive(box, "Größe 👋");
    await settled(box);
    expect(world.sent).toHaveLength(1);
    const [sent] = world.sent;
    expect(sent?.url).toBe(HOOK);
    expect(Object.keys(sent?.json ?? {})).toEqual([
      "event",
      "email_id",
      "mailbox",
      "from",
      "subject",
      "received_at",
      "message_id",
      "thread_id",
      "labels",
      "has_attachments",
      "attachment_count",
      "sender_verified",
      "event_id",
      "seq",
    ]);
    expect(sent?.json).toMatchObject({
      event: "message.received",
      email_id: body.id,
      mailbox: box.mailbox,
      from: "ann@example.com",
      subject: "Größe 👋",
      message_id: expect.stringMatching(/^<.*>$/),
      thread_id: body.id,
      has_attachments: false,
      attachment_count: 0,
      event_id: `evt_${locatorOf(box.mailbox)}_1`,
      seq: 1,
    });
  });

  it("has the documented headers, and node:crypto and standardwebhooks verify its signature", async () => {
    resetClock();
    const world = outside();
    const box = await createMailbox();
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    await configure(box, { webhook_url: HOOK, webhook_secret: secret });
    const { body } = await receive(box, "Größe");
    await settled(box);
    const [sent] = world.sent;
    if (sent === undefined) throw new Error("nothing was sent");
    expect(sent.headers).toMatchObject({
      "x-webhook-signature": `sha256=${createHmac("sha256", secret).update(sent.body).digest("hex")}`,
      "x-webhook-event": "message.received",
      "x-webhook-id": body.id,
      "webhook-id": `evt_${locatorOf(box.mailbox)}_1`,
      "content-type": "application/json",
      "user-agent": `Mailkeep/${VERSION}`,
    });
    expect(new Webhook(secret).verify(sent.body, sent.headers)).toEqual(sent.json);
  });

  it("has no other headers: no credential, no cookie, no internal header", async () => {
    const world = outside();
    const box = await hooked();
    await receive(box);
    await settled(box);
    expect(Object.keys(world.sent[0]?.headers ?? {}).toSorted()).toEqual([
      "accept-encoding",
      "content-type",
      "user-agent",
      "webhook-id",
      "webhook-signature",
      "webhook-timestamp",
      "x-webhook-event",
      "x-webhook-id",
      "x-webhook-signature",
    ]);
  });

  it("is not sent for a duplicate", async () => {
    const world = outside();
    const box = await hooked();
    const raw = plainMessage();
    await deliver(box.mailbox, raw);
    await settled(box);
    expect((await deliver(box.mailbox, raw)).body.duplicate).toBe(true);
    await settled(box);
    expect(world.sent).toHaveLength(1);
  });
});

describe("attempts", () => {
  it("are made up to four times, 1, 3 and 8 s after the one before, with the same id and bytes", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    for (const [made, delay] of [...DELAYS_MS.entries()].slice(1)) {
      expect(world.sent).toHaveLength(made);
      expect((await deliveriesOf(box))[0]).toMatchObject({
        state: "pending",
        next_attempt_at: new Date(Date.now() + delay).toISOString(),
      });
      expect(await alarmOf(box.mailbox)).toBe(Date.now() + delay);
      await later(box, delay - 1);
      await settled(box);
      expect(world.sent).toHaveLength(made);
      await later(box, 1);
      await settled(box);
    }
    expect(world.sent).toHaveLength(4);
    await later(box, 3_600_000);
    expect(world.sent).toHaveLength(4);
    expect(new Set(world.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(world.sent.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const [delivery] = await deliveriesOf(box);
    expect(delivery).toMatchObject({ state: "failed", next_attempt_at: null });
    expect(
      delivery?.attempts.map(({ number, status, error, answer }) => [number, status, error, answer]),
    ).toEqual([1, 2, 3, 4].map((number) => [number, 500, "status", "no"]));
    const begun = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
    expect(begun.slice(1).map((at, index) => at - (begun[index] ?? 0))).toEqual(DELAYS_MS.slice(1));
  });

  it.each([200, 204, 299])("end with %i, which is success", async (status) => {
    const world = outside(() => new Response(null, { status }));
    const box = await hooked();
    await receive(box);
    await settled(box);
    await later(box, LEASE_MS);
    expect(world.sent).toHaveLength(1);
    expect((await deliveriesOf(box))[0]).toMatchObject({ state: "delivered", next_attempt_at: null });
    expect(await hasQuietAlarm(box)).toBe(true);
  });

  it("each sign the time of their own request", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await drain(box);
    const times = world.sent.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual([1, 3, 8]);
    expect(new Set(world.sent.map(({ headers }) => headers["webhook-signature"])).size).toBe(4);
  });

  it.each([1, 2, 3])("continue after an eviction between attempt %i and the next", async (before) => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    for (const [made, delay] of [...DELAYS_MS.entries()].slice(1)) {
      if (made === before) await evict(box.mailbox);
      await later(box, delay);
      await settled(box);
      expect(world.sent).toHaveLength(made + 1);
    }
    expect(new Set(world.sent.map(({ body }) => body)).size).toBe(1);
    expect(await deliveriesOf(box)).toMatchObject([{ state: "failed" }]);
  });

  it("are each made once, even if the alarm rings early, late or twice", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    for (let count = 0; count < 3; count += 1) await ringAlarm(box.mailbox);
    await settled(box);
    expect(world.sent).toHaveLength(1);
    advance(60_000);
    for (let count = 0; count < 3; count += 1) await ringAlarm(box.mailbox);
    await settled(box);
    expect(world.sent).toHaveLength(2);
  });
});

describe("a process that dies in the middle of an attempt", () => {
  it("loses that attempt only: when its lease ends it counts as failed, and the next one is made", async () => {
    const world = outside(hanging);
    const box = await hooked();
    await receive(box);
    await until(() => world.sent.length === 1);
    await kill(box.mailbox);
    world.answer = ok;
    expect(await alarmOf(box.mailbox)).toBe(Date.now() + LEASE_MS);
    await later(box, LEASE_MS - 1);
    expect(world.sent).toHaveLength(1);
    await later(box, 1);
    expect(await alarmOf(box.mailbox)).toBe(Date.now() + 1_000);
    await later(box, 1_000);
    await settled(box);
    const [delivery] = await deliveriesOf(box);
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [
        { number: 1, status: null, error: "interrupted", duration_ms: null, answer: "" },
        { number: 2, status: 200, error: null, answer: "thanks" },
      ],
    });
    expect(world.sent.map(({ headers }) => headers["webhook-id"])).toEqual([
      delivery?.event_id,
      delivery?.event_id,
    ]);
  });

  it("causes one repetition of a fourth attempt, and not a second one", async () => {
    const world = outside(hanging);
    const box = await hooked();
    await receive(box);
    for (let count = 1; count <= 5; count += 1) {
      await until(() => world.sent.length === count);
      await kill(box.mailbox);
      await later(box, LEASE_MS);
      await later(box, 8_000);
    }
    const [delivery] = await deliveriesOf(box);
    expect(delivery?.state).toBe("failed");
    expect(delivery?.attempts.map(({ error }) => error)).toEqual(Array<string>(5).fill("interrupted"));
    await later(box, 3_600_000);
    expect(world.sent).toHaveLength(5);
  });

  it("before the first attempt loses nothing: the alarm makes that attempt", async () => {
    const world = outside(hanging);
    const box = await hooked();
    for (let n = 0; n < 5; n += 1) await receive(box, `Mail ${n}`);
    await until(() => world.sent.length === 2);
    await kill(box.mailbox);
    world.answer = ok;
    await later(box, LEASE_MS);
    await drain(box);
    expect(await deliveriesOf(box, "&state=delivered")).toHaveLength(5);
    expect(new Set(world.sent.map(({ json }) => json.seq))).toEqual(new Set([1, 2, 3, 4, 5]));
  });
});

describe("the state of a webhook", () => {
  const info = async (box: TestMailbox) => (await ask("/v1/mailbox", { key: box.api_key })).body;

  async function failTimes(box: TestMailbox, times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) await receive(box);
    await drain(box);
  }

  it("is failed after ten consecutive failed deliveries, and not after nine", async () => {
    outside(broken);
    const box = await hooked();
    await failTimes(box, 9);
    expect(await info(box)).toMatchObject({ webhook_url: HOOK, webhook_status: "active" });
    await failTimes(box, 1);
    expect(await info(box)).toMatchObject({ webhook_url: HOOK, webhook_status: "failed" });
  });

  it("is counted from zero after one success", async () => {
    const world = outside(broken);
    const box = await hooked();
    await failTimes(box, 9);
    world.answer = ok;
    await failTimes(box, 1);
    world.answer = broken;
    await failTimes(box, 9);
    expect(await info(box)).toMatchObject({ webhook_status: "active" });
  });

  it("recovers if that is turned on, and gets all events that it missed in order once it answers, across evictions", async () => {
    const world = outside(broken);
    const box = await hooked();
    await configure(box, { webhook_recovery: true });
    await failTimes(box, 10);
    await receive(box, "Missed");
    expect(await info(box)).toMatchObject({ webhook_status: "recovering", webhook_recovery: true });
    const replay = await ask("/v1/webhook/replay", { key: box.api_key, json: { from_seq: 11 } });
    expect([replay.status, replay.body]).toMatchObject([409, { code: "conflict" }]);
    world.answer = ok;
    world.sent.length = 0;
    await evict(box.mailbox);
    await later(box, 60_000);
    await until(() => world.sent.length === 11);
    await receive(box, "Live");
    await until(() => world.sent.length === 12);
    await drain(box);
    expect(world.sent.map(({ json }) => json.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await info(box)).toMatchObject({ webhook_status: "active" });
  });

  it("survives an eviction, with its count", async () => {
    outside(broken);
    const box = await hooked();
    await failTimes(box, 9);
    await evict(box.mailbox);
    await failTimes(box, 1);
    await evict(box.mailbox);
    expect(await info(box)).toMatchObject({ webhook_status: "failed" });
  });

  it("failed cancels waiting deliveries and adds no more, while events are still logged", async () => {
    const world = outside(broken);
    const box = await hooked();
    for (let count = 0; count < 30; count += 1) await receive(box, `Mail ${count}`);
    await drain(box);
    const states = (await deliveriesOf(box)).map(({ state }) => state);
    expect(states.filter((state) => state === "failed").length).toBeGreaterThanOrEqual(10);
    expect(states.filter((state) => state === "cancelled").length).toBeGreaterThan(0);
    const before = world.sent.length;
    await receive(box, "After");
    await later(box, 60_000);
    expect(world.sent).toHaveLength(before);
    expect(await deliveriesOf(box)).toHaveLength(30);
    expect(await rowsOf(box.mailbox, "SELECT count(*) AS count FROM event")).toEqual([{ count: 31 }]);
  });

  it("is active again when the URL is set, even to the same one; missed events can be replayed", async () => {
    const world = outside(broken);
    const box = await hooked();
    await failTimes(box, 10);
    await receive(box, "Missed");
    await configure(box, { webhook_url: HOOK });
    expect(await info(box)).toMatchObject({ webhook_status: "active" });
    world.answer = ok;
    world.sent.length = 0;
    const replay = await ask("/v1/webhook/replay", { key: box.api_key, json: { from_seq: 11 } });
    expect([replay.status, replay.body]).toEqual([
      202,
      { from_seq: 11, to_seq: 11, events: 1, deliveries: 1 },
    ]);
    await settled(box);
    expect(world.sent.map(({ json }) => json.subject)).toEqual(["Missed"]);
  });

  it("does not count deliveries to a URL that is no longer set", async () => {
    const world = outside(broken);
    const box = await hooked();
    await failTimes(box, 9);
    await receive(box);
    for (const delay of [1_000, 3_000]) {
      await settled(box);
      await later(box, delay);
    }
    await settled(box);
    let held = true;
    world.answer = async (sent) => {
      while (held) await scheduler.wait(5);
      return broken(sent);
    };
    await later(box, 8_000);
    await until(() => world.sent.length === 40);
    await configure(box, { webhook_url: "https://hooks.example.com/new" });
    held = false;
    await settled(box);
    expect(await deliveriesOf(box, "&state=failed")).toHaveLength(10);
    expect(await rowsOf(box.mailbox, "SELECT failures FROM webhook_target")).toEqual([{ failures: 0 }]);
  });
});

describe("many deliveries", () => {
  it("begin in the order of the log for each target, at most two at once", async () => {
    let underWay = 0;
    let most = 0;
    const world = outside(async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await scheduler.wait(3);
      underWay -= 1;
      return new Response("ok");
    });
    const box = await hooked();
    for (let count = 0; count < 25; count += 1) await receive(box);
    await until(() => world.sent.length === 25);
    await settled(box);
    expect(world.sent.map(({ json }) => json.seq)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
    expect(most).toBe(2);
  });

  it("begin in the order of the log even if one of them needs another attempt", async () => {
    const world = outside((sent) => (sent.json.seq === 3 ? broken(sent) : ok(sent)));
    const box = await hooked();
    for (let count = 0; count < 8; count += 1) await receive(box);
    await drain(box);
    const firsts = [...new Set(world.sent.map(({ json }) => json.seq))];
    expect(firsts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(world.sent.filter(({ json }) => json.seq === 3)).toHaveLength(4);
  });

  it("to a target that hangs delay neither another target, nor received mail, nor a read", async () => {
    const world = outside((sent) => (sent.url === HOOK ? hanging(sent) : ok(sent)));
    const box = await hooked();
    await route(box, "newsletter", LETTERS);
    for (let count = 0; count < 20; count += 1) {
      expect((await deliver(box.mailbox, newsletter())).status).toBe(202);
    }
    expect((await api("/v1/inbox", { key: box.api_key })).status).toBe(200);
    await until(() => world.to(LETTERS).length === 20);
    expect(world.to(LETTERS).map(({ json }) => json.seq)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    expect(world.to(HOOK)).toHaveLength(2);
  });
});
