import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import { locatorOf } from "../../src/contract/key.ts";
import { WebhookDelivery, type WebhookDeliveries } from "../../src/contract/webhook.ts";
import { actorOf, ask, createMailbox, deliver, evict, rowsOf, type TestMailbox } from "../harness.ts";
import {
  broken,
  configure,
  deliveriesOf,
  drain,
  endOutside,
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
} from "../webhook-target.ts";

const post = <Body = Record<string, unknown>>(box: TestMailbox, path: string, json: unknown = {}) =>
  ask<Body>(`/v1/webhook/${path}`, { key: box.api_key, json });

beforeEach(holdAlarms);
afterEach(endOutside);

describe("the log of deliveries", () => {
  it("shows each attempt with its status, time and the first 500 characters of the answer", async () => {
    const world = outside(() => new Response("é".repeat(2_000), { status: 503 }));
    const box = await hooked();
    const { body } = await receive(box);
    await settled(box);
    world.answer = ok;
    await later(box, 1_000);
    await settled(box);
    const [delivery] = await deliveriesOf(box);
    expect(WebhookDelivery.strict().parse(delivery)).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event_id: `evt_${locatorOf(box.mailbox)}_1`,
      seq: 1,
      event: "message.received",
      email_id: body.id,
      label: null,
      webhook_url: HOOK,
      state: "delivered",
      attempts: [
        { number: 1, status: 503, error: "status", answer: "é".repeat(500) },
        { number: 2, status: 200, error: null, answer: "thanks" },
      ],
      next_attempt_at: null,
    });
  });

  it("is listed newest first, in pages, and can be filtered by state and label", async () => {
    const world = outside();
    const box = await hooked();
    await route(box, "newsletter", LETTERS);
    for (let count = 0; count < 5; count += 1) await deliver(box.mailbox, newsletter());
    await settled(box);
    world.answer = broken;
    await receive(box);
    await settled(box);
    const seen: WebhookDelivery[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: { body: WebhookDeliveries } = await ask<WebhookDeliveries>(
        `/v1/webhook/deliveries?limit=4&cursor=${cursor}`,
        { key: box.api_key },
      );
      seen.push(...page.body.deliveries);
      cursor = page.body.next_cursor;
    }
    expect(seen).toHaveLength(11);
    expect(seen.map(({ seq }) => seq)).toEqual([6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1]);
    expect(await deliveriesOf(box, "&label=newsletter")).toHaveLength(5);
    expect(await deliveriesOf(box, "&state=pending")).toMatchObject([{ seq: 6 }]);
    expect(await deliveriesOf(box, "&state=delivered&label=newsletter")).toHaveLength(5);
    expect(await deliveriesOf(box, "&state=cancelled")).toEqual([]);
  });

  it("refuses an unknown state and an invalid cursor", async () => {
    const box = await createMailbox();
    for (const query of ["state=sent", "cursor=nonsense!", "limit=0"]) {
      const answer = await ask(`/v1/webhook/deliveries?${query}`, { key: box.api_key });
      expect([query, answer.status]).toEqual([query, 400]);
    }
  });
});

describe("redelivering", () => {
  it("makes a new delivery of the same event: same id, same bytes", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await drain(box);
    const [failed] = await deliveriesOf(box);
    world.answer = ok;
    const again = await post<WebhookDelivery>(box, `deliveries/${failed?.id}/redeliver`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ state: "pending", attempts: [], event_id: failed?.event_id, seq: 1 });
    expect(again.body.id).not.toBe(failed?.id);
    await settled(box);
    expect(world.sent).toHaveLength(5);
    expect(new Set(world.sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(world.sent.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect((await deliveriesOf(box)).map(({ state }) => state)).toEqual(["failed", "delivered"]);
  });

  it("works for a delivery that succeeded, and for one that was cancelled", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    await configure(box, { webhook_url: null });
    await configure(box, { webhook_url: HOOK });
    world.answer = ok;
    for (let count = 0; count < 2; count += 1) {
      const delivery = (await deliveriesOf(box)).at(-1);
      expect(delivery?.state).toBe(["cancelled", "delivered"][count]);
      expect((await post(box, `deliveries/${delivery?.id}/redeliver`)).status).toBe(202);
      await settled(box);
    }
    expect(world.sent).toHaveLength(3);
  });

  it("answers 409 while the old delivery is pending, after its URL was removed, and after its target failed", async () => {
    outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    const [delivery] = await deliveriesOf(box);
    const redeliver = () => post<{ error: string }>(box, `deliveries/${delivery?.id}/redeliver`);
    expect(await redeliver()).toMatchObject({
      status: 409,
      body: { error: "The delivery is still pending" },
    });
    for (let count = 0; count < 9; count += 1) await receive(box);
    await drain(box);
    expect((await redeliver()).body.error).toContain("has failed");
    await configure(box, { webhook_url: null });
    expect(await redeliver()).toMatchObject({ status: 409, body: { code: "conflict" } });
  });

  it("answers 404 to an unknown id, an id of another mailbox, and the id of an email", async () => {
    outside();
    const [box, other] = [await hooked(), await hooked()];
    const { body: email } = await receive(box);
    await receive(other);
    await settled(other);
    const [foreign] = await deliveriesOf(other);
    for (const id of [foreign?.id, email.id, "nonsense", crypto.randomUUID()]) {
      const answer = await post(box, `deliveries/${id}/redeliver`);
      expect([answer.status, answer.body]).toEqual([404, problemBody(notFound("Delivery"))]);
    }
  });

  it("answers 410 with the oldest seq once the log has erased the event", async () => {
    outside();
    const box = await hooked();
    await receive(box);
    await receive(box);
    await settled(box);
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec("DELETE FROM event WHERE seq = 1");
    });
    const [delivery] = await deliveriesOf(box);
    const answer = await post(box, `deliveries/${delivery?.id}/redeliver`);
    expect([answer.status, answer.body]).toMatchObject([410, { code: "gone", oldest_seq: 2 }]);
  });
});

describe("a replay", () => {
  async function filled(count: number): Promise<TestMailbox> {
    const box = await createMailbox();
    for (let n = 0; n < count; n += 1) await receive(box, `Mail ${n + 1}`);
    await configure(box, { webhook_url: HOOK });
    return box;
  }

  it("delivers a range of the log in its order, with the ids of its events", async () => {
    const world = outside();
    const box = await filled(6);
    const { status, body } = await post(box, "replay", { from_seq: 2, to_seq: 4 });
    expect([status, body]).toEqual([202, { from_seq: 2, to_seq: 4, events: 3, deliveries: 3 }]);
    await settled(box);
    expect(world.sent.map(({ json }) => [json.seq, json.subject, json.event_id])).toEqual(
      [2, 3, 4].map((seq) => [seq, `Mail ${seq}`, `evt_${locatorOf(box.mailbox)}_${seq}`]),
    );
  });

  it("ends at the newest entry unless to_seq is given", async () => {
    const world = outside();
    const box = await filled(3);
    expect((await post(box, "replay", { from_seq: 3 })).body).toMatchObject({ to_seq: 3, deliveries: 1 });
    const beyond = await post(box, "replay", { from_seq: 1, to_seq: 99 });
    expect(beyond.body).toEqual({ from_seq: 1, to_seq: 3, events: 3, deliveries: 3 });
    await drain(box);
    expect(world.sent).toHaveLength(4);
  });

  it("skips events that no target gets", async () => {
    const world = outside();
    const box = await createMailbox();
    await route(box, "newsletter", LETTERS);
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    await receive(box);
    await deliver(box.mailbox, newsletter());
    await ask("/v1/mailbox/resume", { key: box.api_key, method: "PATCH" });
    const { body } = await post(box, "replay", { from_seq: 1 });
    expect(body).toEqual({ from_seq: 1, to_seq: 2, events: 2, deliveries: 1 });
    await settled(box);
    expect(world.sent.map(({ json }) => json.seq)).toEqual([2]);
  });

  it("continues after the process died", async () => {
    const world = outside(broken);
    const box = await filled(12);
    await post(box, "replay", { from_seq: 1 });
    await settled(box);
    await evict(box.mailbox);
    world.answer = ok;
    await drain(box);
    expect(await deliveriesOf(box, "&state=delivered")).toHaveLength(12);
  });

  it.each([
    [{}, 400],
    [{ from_seq: 0 }, 400],
    [{ from_seq: 1.5 }, 400],
    [{ from_seq: "1" }, 400],
    [{ from_seq: 3, to_seq: 2 }, 400],
    [{ from_seq: 4 }, 400],
  ])("with the range %j is refused with %i", async (json, status) => {
    const box = await filled(3);
    const answer = await post<{ error: string }>(box, "replay", json);
    expect(answer.status).toBe(status);
  });

  it("answers 410 with the oldest seq if the log no longer goes back so far", async () => {
    const box = await filled(3);
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec("DELETE FROM event WHERE seq < 3");
    });
    const answer = await post(box, "replay", { from_seq: 2 });
    expect([answer.status, answer.body]).toMatchObject([410, { code: "gone", oldest_seq: 3 }]);
  });

  it("answers 409 if no target is active", async () => {
    outside(broken);
    const box = await createMailbox();
    await receive(box);
    expect((await post(box, "replay", { from_seq: 1 })).status).toBe(409);
    await configure(box, { webhook_url: HOOK });
    for (let count = 0; count < 10; count += 1) await receive(box);
    await drain(box);
    expect((await post(box, "replay", { from_seq: 1 })).status).toBe(409);
  });

  it("takes at most 10,000 events", async () => {
    outside(broken);
    const box = await filled(1);
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
        INSERT INTO event (seq, kind, at, data) SELECT i, kind, at, data FROM event, n WHERE seq = 1`);
      state.storage.sql.exec("UPDATE account SET last_event = 10001");
    });
    await evict(box.mailbox);
    expect((await post(box, "replay", { from_seq: 1 })).body).toMatchObject({ code: "invalid" });
    const whole = await post(box, "replay", { from_seq: 1, to_seq: 10_000 });
    expect(whole.body).toEqual({ from_seq: 1, to_seq: 10_000, events: 10_000, deliveries: 10_000 });
  });
});

describe("a test event", () => {
  it("is a message.received that is marked as a test, with a new id each time", async () => {
    const world = outside();
    const box = await hooked();
    const first = await post<WebhookDelivery>(box, "test");
    await post(box, "test");
    await settled(box);
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ event: "message.received", seq: 0, label: null, webhook_url: HOOK });
    expect(world.sent).toHaveLength(2);
    expect(world.sent[0]?.json).toMatchObject({
      event: "message.received",
      test: true,
      mailbox: box.mailbox,
      email_id: first.body.email_id,
      event_id: first.body.event_id,
      seq: 0,
      labels: [],
      attachment_count: 0,
      sender_verified: false,
    });
    expect(world.sent[0]?.headers["webhook-id"]).toBe(first.body.event_id);
    expect(world.sent[0]?.headers["webhook-id"]).not.toBe(world.sent[1]?.headers["webhook-id"]);
    expect(await rowsOf(box.mailbox, "SELECT * FROM event")).toEqual([]);
  });

  it("goes to a label's URL when that is named", async () => {
    const world = outside();
    const box = await hooked();
    await route(box, "newsletter", LETTERS);
    await post(box, "test", { label: "newsletter" });
    await settled(box);
    expect(world.sent.map(({ url, json }) => [url, json])).toMatchObject([
      [LETTERS, { labels: ["newsletter"] }],
    ]);
  });

  it("reaches a failed target, and never changes its state", async () => {
    const world = outside(broken);
    const box = await hooked();
    for (let count = 0; count < 9; count += 1) await receive(box);
    await drain(box);
    await post(box, "test");
    await drain(box);
    const state = () => rowsOf(box.mailbox, "SELECT status, failures FROM webhook_target");
    expect(await state()).toEqual([{ status: "active", failures: 9 }]);
    await receive(box);
    await drain(box);
    expect(await state()).toEqual([{ status: "failed", failures: 10 }]);
    world.answer = ok;
    await post(box, "test");
    await settled(box);
    expect((await deliveriesOf(box)).at(-1)).toMatchObject({ state: "delivered", seq: 0 });
    expect(await state()).toEqual([{ status: "failed", failures: 10 }]);
  });

  it("has four attempts like any other", async () => {
    const world = outside(broken);
    const box = await hooked();
    await post(box, "test");
    await drain(box);
    expect(world.sent).toHaveLength(4);
    expect(new Set(world.sent.map(({ body }) => body)).size).toBe(1);
  });

  it("answers 409 without a URL, 404 for a label without one, and cannot be redelivered", async () => {
    outside();
    const box = await createMailbox();
    expect((await post(box, "test")).status).toBe(409);
    expect((await post(box, "test", { label: "none" })).status).toBe(404);
    await configure(box, { webhook_url: HOOK });
    const { body } = await post<WebhookDelivery>(box, "test");
    await settled(box);
    expect((await post(box, `deliveries/${body.id}/redeliver`)).status).toBe(409);
  });
});
