import { createHmac } from "node:crypto";
import { runInDurableObject } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SEQ_PER_MS } from "../../src/lib/ids.ts";
import { LEASE_MS } from "../../src/mailbox/webhooks/job.ts";
import { MARK_ARRIVED, UNDELIVERED } from "../../src/mailbox/webhooks/rows.ts";
import { SECRET_OVERLAP_MS } from "../../src/webhooks/secrets.ts";
import { standardKey } from "../../src/webhooks/sign.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  OPERATOR,
  plainMessage,
  ringAlarm,
  rowsOf,
  tablesOf,
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
  withVariables,
  type Sent,
} from "../webhook-target.ts";

/** The deployment's in tests (test/vitest.config.ts). */
const SHARED = "webhook-secret-for-tests-0123456789";
const OWN = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const ELSEWHERE = "https://elsewhere.example.com/";

/** No delivery made so far has an id as high. */
const firstId = () => (Date.now() + 1) * SEQ_PER_MS;

beforeEach(holdAlarms);
afterEach(endOutside);

describe("a label's URL", () => {
  it("gets the events of emails with that label, as does the mailbox's own URL", async () => {
    const world = outside();
    const box = await hooked();
    await route(box, "newsletter", LETTERS);
    await deliver(box.mailbox, newsletter());
    await receive(box);
    await settled(box);
    expect(world.to(LETTERS).map(({ json }) => json.seq)).toEqual([1]);
    expect(world.to(HOOK).map(({ json }) => json.seq)).toEqual([1, 2]);
    expect(world.to(LETTERS)[0]?.body).toBe(world.to(HOOK)[0]?.body);
  });

  it("works without a URL of the mailbox's own", async () => {
    const world = outside();
    const box = await createMailbox();
    await route(box, "newsletter", LETTERS);
    await deliver(box.mailbox, newsletter());
    await receive(box);
    await settled(box);
    expect(world.sent.map(({ url }) => url)).toEqual([LETTERS]);
  });

  it.each([HOOK, "HTTPS://HOOKS.example.com:443/in"])(
    "that is also the mailbox's own URL gets one request: %s",
    async (same) => {
      const world = outside();
      const box = await hooked();
      await route(box, "newsletter", same);
      await deliver(box.mailbox, newsletter());
      await settled(box);
      expect(world.sent).toHaveLength(1);
      expect(await deliveriesOf(box)).toMatchObject([{ label: null }]);
    },
  );

  it("fails alone, and the mailbox's own URL stays active", async () => {
    const world = outside((sent) => (sent.url === LETTERS ? broken(sent) : ok(sent)));
    const box = await hooked();
    await route(box, "newsletter", LETTERS);
    for (let count = 0; count < 10; count += 1) await deliver(box.mailbox, newsletter());
    await drain(box);
    const { body } = await ask("/v1/mailbox/routes", { key: box.api_key });
    expect(body).toMatchObject({ routes: [{ label: "newsletter", status: "failed" }] });
    expect((await ask("/v1/mailbox", { key: box.api_key })).body).toMatchObject({ webhook_status: "active" });
    const before = world.to(LETTERS).length;
    await deliver(box.mailbox, newsletter());
    await settled(box);
    expect(world.to(LETTERS)).toHaveLength(before);
    expect(world.to(HOOK)).toHaveLength(11);
    await route(box, "newsletter", LETTERS);
    await deliver(box.mailbox, newsletter());
    await settled(box);
    expect(world.to(LETTERS)).toHaveLength(before + 1);
  });

  it("survives an eviction, and is counted in the statistics", async () => {
    const world = outside();
    const box = await createMailbox();
    await route(box, "newsletter", LETTERS);
    await route(box, "code", HOOK);
    await evict(box.mailbox);
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ webhook_routes: 2 });
    await deliver(box.mailbox, newsletter());
    await settled(box);
    expect(world.sent.map(({ url }) => url)).toEqual([LETTERS]);
  });
});

describe("a URL that is changed or removed", () => {
  it("while deliveries wait: they go to the new URL, and show it", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    await configure(box, { webhook_url: ELSEWHERE });
    world.answer = ok;
    await later(box, 1_000);
    await settled(box);
    expect(world.sent.map(({ url }) => url)).toEqual([HOOK, ELSEWHERE]);
    expect(world.sent[1]?.body).toBe(world.sent[0]?.body);
    expect(await deliveriesOf(box)).toMatchObject([{ state: "delivered", webhook_url: ELSEWHERE }]);
  });

  it.each([null, ""])(
    "by setting it to %j: waiting deliveries are cancelled, and nothing more is sent",
    async (nothing) => {
      const world = outside(broken);
      const box = await hooked();
      await receive(box);
      await settled(box);
      await configure(box, { webhook_url: nothing });
      await later(box, 60_000);
      await receive(box);
      expect(world.sent).toHaveLength(1);
      expect(await deliveriesOf(box)).toMatchObject([{ state: "cancelled", next_attempt_at: null }]);
      expect((await ask("/v1/mailbox", { key: box.api_key })).body).toMatchObject({
        webhook_url: null,
        webhook_status: null,
      });
      await later(box, 60_000);
      expect(await hasQuietAlarm(box)).toBe(true);
    },
  );

  it("while an attempt is under way: a success is recorded, a failure is not retried", async () => {
    let held = true;
    const world = outside(async (sent) => {
      while (held) await scheduler.wait(5);
      return sent.json.seq === 1 ? ok(sent) : broken(sent);
    });
    const box = await hooked();
    await receive(box);
    await receive(box);
    await until(() => world.sent.length === 2);
    await configure(box, { webhook_url: null });
    held = false;
    await until(async () => (await deliveriesOf(box)).every(({ attempts }) => attempts.length === 1));
    expect(await deliveriesOf(box)).toMatchObject([{ state: "delivered" }, { state: "cancelled" }]);
    await later(box, 60_000);
    expect(world.sent).toHaveLength(2);
  });
});

describe("a paused mailbox", () => {
  it("keeps waiting deliveries until it is resumed, and adds none for mail that arrives", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box, "Before");
    await settled(box);
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    await receive(box, "Meanwhile");
    await later(box, 60_000);
    await evict(box.mailbox);
    await later(box, 60_000);
    expect(world.sent).toHaveLength(1);
    expect(await hasQuietAlarm(box)).toBe(true);
    world.answer = ok;
    await ask("/v1/mailbox/resume", { key: box.api_key, method: "PATCH" });
    await settled(box);
    expect(world.sent.map(({ json }) => json.subject)).toEqual(["Before", "Before"]);
    const replay = await ask("/v1/webhook/replay", { key: box.api_key, json: { from_seq: 2 } });
    expect(replay.body).toEqual({ from_seq: 2, to_seq: 2, events: 1, deliveries: 1 });
    await settled(box);
    expect(world.sent[2]?.json).toMatchObject({ subject: "Meanwhile", seq: 2 });
  });

  it("makes overdue attempts at once when it is resumed after an eviction", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    await evict(box.mailbox);
    advance(60_000);
    await ask("/v1/mailbox/resume", { key: box.api_key, method: "PATCH" });
    await settled(box);
    expect(world.sent).toHaveLength(2);
  });
});

describe("a mailbox that is deleted", () => {
  it("with attempts under way and waiting is erased completely: nothing more is sent or written", async () => {
    let held = true;
    const world = outside(async (sent) => {
      while (held) await scheduler.wait(5);
      return broken(sent);
    });
    const box = await hooked();
    for (let count = 0; count < 5; count += 1) await receive(box);
    await until(() => world.sent.length === 2);
    expect((await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" })).status).toBe(200);
    held = false;
    await scheduler.wait(50);
    expect(await tablesOf(box.mailbox)).toEqual([]);
    expect(await alarmOf(box.mailbox)).toBeNull();
    expect(world.sent).toHaveLength(2);
    const [name = ""] = box.mailbox.split("@");
    const second = await createMailbox("permanent", name);
    expect(await deliveriesOf(second)).toEqual([]);
    await configure(second, { webhook_url: ELSEWHERE });
    await receive(second);
    await settled(second);
    expect(world.to(ELSEWHERE)).toHaveLength(1);
  });
});

describe("the secret of a webhook", () => {
  const legacy = (secret: string, { body }: Sent) =>
    `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const signatures = ({ headers }: Sent) => headers["webhook-signature"]?.split(" ") ?? [];

  /** Those of the test's secrets with which the standardwebhooks library verifies the request. */
  function takenWith(sent: Sent): string[] {
    vi.setSystemTime(Number(sent.headers["webhook-timestamp"]) * 1_000);
    return [SHARED, OWN, NEXT, "older-deployment-secret"].filter((secret) => {
      try {
        new Webhook(standardKey(secret), { format: "raw" }).verify(sent.body, sent.headers);
        return true;
      } catch {
        return false;
      }
    });
  }

  async function sendOne(box: TestMailbox, world: { sent: Sent[] }): Promise<Sent> {
    const now = Date.now();
    await receive(box);
    await settled(box);
    const sent = world.sent.at(-1);
    if (sent === undefined) throw new Error("nothing was sent");
    expect(Number(sent.headers["webhook-timestamp"])).toBe(Math.floor(now / 1_000));
    return sent;
  }

  it("is the deployment's if the mailbox has none", async () => {
    const world = outside();
    const box = await hooked();
    const sent = await sendOne(box, world);
    expect(sent.headers["x-webhook-signature"]).toBe(legacy(SHARED, sent));
    expect(takenWith(sent)).toEqual([SHARED]);
  });

  it.each([
    ["own to own", OWN, NEXT],
    ["the deployment's to own", null, NEXT],
    ["own to the deployment's", OWN, null],
  ])("changed from %s: the old one also signs for 24 hours", async (_, first, second) => {
    const [before, after] = [first ?? SHARED, second ?? SHARED];
    const world = outside();
    const box = await createMailbox();
    await configure(box, { webhook_url: HOOK, webhook_secret: first });
    advance(2 * SECRET_OVERLAP_MS);
    const old = await sendOne(box, world);
    expect([takenWith(old), old.headers["x-webhook-signature"]]).toEqual([[before], legacy(before, old)]);
    await configure(box, { webhook_secret: second });
    const changedAt = Date.now();
    await evict(box.mailbox);
    const during = await sendOne(box, world);
    expect(signatures(during)).toHaveLength(2);
    expect(takenWith(during).toSorted()).toEqual([before, after].toSorted());
    expect(during.headers["x-webhook-signature"]).toBe(legacy(after, during));
    vi.setSystemTime(changedAt + SECRET_OVERLAP_MS - 1);
    expect(takenWith(await sendOne(box, world))).toHaveLength(2);
    vi.setSystemTime(changedAt + SECRET_OVERLAP_MS);
    expect(takenWith(await sendOne(box, world))).toEqual([after]);
  });

  it("set to its current value changes nothing", async () => {
    const world = outside();
    const box = await createMailbox();
    await configure(box, { webhook_url: HOOK, webhook_secret: OWN });
    advance(2 * SECRET_OVERLAP_MS);
    await configure(box, { webhook_secret: OWN });
    expect(signatures(await sendOne(box, world))).toHaveLength(1);
  });

  it("of the deployment is changed with WEBHOOK_SECRET_PREVIOUS, which also signs while it is set", async () => {
    const world = outside();
    const box = await hooked();
    await withVariables(box, { WEBHOOK_SECRET_PREVIOUS: "older-deployment-secret" });
    const sent = await sendOne(box, world);
    expect(takenWith(sent)).toEqual([SHARED, "older-deployment-secret"]);
    expect(sent.headers["x-webhook-signature"]).toBe(legacy(SHARED, sent));
  });

  it("that was removed from the deployment fails the attempt, because nobody could verify the request", async () => {
    const world = outside();
    const box = await hooked();
    await withVariables(box, { WEBHOOK_SECRET: "" });
    await receive(box);
    await settled(box);
    expect(world.sent).toEqual([]);
    expect(await deliveriesOf(box)).toMatchObject([
      { state: "pending", attempts: [{ status: null, error: "no_secret" }] },
    ]);
  });
});

describe("a host name that resolves to a private address when the attempt is made", () => {
  const answers = (address: string) =>
    Response.json({ Status: 0, Answer: [{ name: "hooks.example.com", type: 1, TTL: 1, data: address }] });

  it("is not connected to, and the attempt fails", async () => {
    let address = "10.0.0.1";
    const world = outside((sent) => (sent.url.startsWith("https://doh") ? answers(address) : ok(sent)));
    const box = await hooked();
    await withVariables(box, { DOH_URL: "https://doh.example/dns-query" });
    await receive(box);
    await settled(box);
    expect(world.to(HOOK)).toEqual([]);
    expect(await deliveriesOf(box)).toMatchObject([{ attempts: [{ status: null, error: "not_public" }] }]);
    address = "8.8.8.8";
    await later(box, 1_000);
    await settled(box);
    expect(world.to(HOOK)).toHaveLength(1);
  });
});

describe("the cost of webhooks", () => {
  const costOf = async (box: TestMailbox, work: () => Promise<unknown>) => {
    await actorOf(box.mailbox).takeRowCost();
    await work();
    return actorOf(box.mailbox).takeRowCost();
  };

  it("is nothing for a mailbox without webhooks: no row, no alarm", async () => {
    outside();
    const [plain, once] = [await createMailbox(), await hooked()];
    await configure(once, { webhook_url: null });
    for (const box of [plain, once]) await receive(box);
    const never = await costOf(plain, () => receive(plain));
    expect(await costOf(once, () => receive(once))).toEqual(never);
    expect(await rowsOf(plain.mailbox, "SELECT * FROM delivery")).toEqual([]);
    expect(await hasQuietAlarm(plain)).toBe(true);
  });

  it("is one delivery and its index entry for one target, in the transaction that stores the mail", async () => {
    outside(hanging);
    const [plain, box] = [await createMailbox(), await hooked()];
    // The target already has its two attempts under way, so only the receipt is counted.
    for (let count = 0; count < 4; count += 1) await receive(box);
    for (let count = 0; count < 4; count += 1) await receive(plain);
    const without = await costOf(plain, () => receive(plain));
    const one = await costOf(box, () => receive(box));
    expect(one.written - without.written).toBe(2);
  });

  it("does not grow with waiting deliveries: 10,000 slow neither a page nor a receipt", async () => {
    outside(hanging);
    const box = await hooked();
    for (let count = 0; count < 10; count += 1) await receive(box);
    await api("/v1/inbox", { key: box.api_key });
    const page = () => costOf(box, () => api("/v1/inbox?limit=5", { key: box.api_key }));
    const receipt = () => costOf(box, () => receive(box));
    const ring = () => costOf(box, () => ringAlarm(box.mailbox));
    const idle = { page: await page(), receipt: await receipt(), ring: await ring() };
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO delivery (id, event, kind, email_id, target, label, url, state, attempts, due_at)
        SELECT ${firstId()} + i, 1, 'message.received', 'x', 1, '', '${HOOK}', 'pending', i % 2, (i % 2) * (${Date.now()} + i) FROM n`);
    });
    expect(await page()).toEqual(idle.page);
    const busy = { receipt: await receipt(), ring: await ring() };
    expect(busy.receipt.written).toBe(idle.receipt.written);
    expect(busy.receipt.read - idle.receipt.read).toBeLessThanOrEqual(20);
    expect(busy.ring.read - idle.ring.read).toBeLessThanOrEqual(20);
  });

  it("does not grow with what a failed target missed, or got meanwhile: a refill of 100 of 10,000 events", async () => {
    outside();
    const box = await hooked();
    await receive(box);
    await runInDurableObject(actorOf(box.mailbox), (_, { storage: { sql } }) => {
      const first = firstId();
      sql.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO delivery (id, event, kind, email_id, target, label, url, state, attempts)
        SELECT ${first} + i, i, 'message.received', 'x', 7, '', '${HOOK}', iif(i % 3 = 0, 'delivered', 'cancelled'), 0 FROM n`);
      const refill = () => sql.exec(UNDELIVERED.text, 7, first, first + 10_000, 5_000, 100);
      sql.exec(MARK_ARRIVED.text, 7, 5_002);
      const cursor = refill();
      const events = cursor.toArray().map(({ event }) => event);
      expect(events.slice(0, 3)).toEqual([5_003, 5_005, 5_006]);
      expect(events).toHaveLength(100);
      expect(cursor.rowsRead).toBeLessThanOrEqual(220);
    });
  });
});

describe("a delivery whose row cannot be read", () => {
  beforeEach(() => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
  });

  it("fails, the others are delivered, and it does not count against the target", async () => {
    const world = outside();
    const box = await hooked();
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    for (let count = 0; count < 3; count += 1) await receive(box);
    await ask("/v1/mailbox/resume", { key: box.api_key, method: "PATCH" });
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec("UPDATE event SET data = 'poison' WHERE seq = 3");
      state.storage.sql
        .exec(`INSERT INTO delivery (id, event, kind, email_id, target, label, url, state, attempts, due_at)
        SELECT ${firstId()} + seq, 4 - seq, kind, 'x', 1, '', '${HOOK}', 'pending', 0, 0 FROM event`);
    });
    await receive(box);
    await drain(box);
    expect(new Set(world.sent.map(({ json }) => json.seq))).toEqual(new Set([1, 2, 4]));
    const poisoned = await deliveriesOf(box, "&state=failed");
    expect(poisoned).toMatchObject([{ seq: 3 }]);
    expect(poisoned[0]?.attempts.map(({ error }) => error)).toEqual(Array<string>(4).fill("internal"));
    expect(await rowsOf(box.mailbox, "SELECT status, failures FROM webhook_target")).toEqual([
      { status: "active", failures: 0 },
    ]);
  });

  it("does not stop the alarm: it rings again later, and continues once the row is repaired", async () => {
    const world = outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec("ALTER TABLE delivery RENAME COLUMN kind TO kind_gone");
    });
    for (let count = 0; count < 8; count += 1) {
      await later(box, 60_000);
      expect(await alarmOf(box.mailbox)).toBe(Date.now() + 30_000);
    }
    expect((await api("/v1/inbox", { key: box.api_key })).status).toBe(200);
    await runInDurableObject(actorOf(box.mailbox), (_, state) => {
      state.storage.sql.exec("ALTER TABLE delivery RENAME COLUMN kind_gone TO kind");
    });
    world.answer = ok;
    await later(box, 60_000);
    await settled(box);
    expect(await deliveriesOf(box)).toMatchObject([{ state: "delivered" }]);
  });
});

describe("an alarm that the platform deleted", () => {
  it("is set again by the next call", async () => {
    outside(broken);
    const box = await hooked();
    await receive(box);
    await settled(box);
    await runInDurableObject(actorOf(box.mailbox), (_, state) => state.storage.deleteAlarm());
    await evict(box.mailbox);
    expect(await alarmOf(box.mailbox)).toBe(Date.now() + 1_000);
  });

  it("does not ring in a loop while a target hangs", async () => {
    outside(hanging);
    const box = await hooked();
    for (let count = 0; count < 10; count += 1) await receive(box);
    await ringAlarm(box.mailbox);
    expect(await alarmOf(box.mailbox)).toBe(Date.now() + LEASE_MS);
    advance(1_000);
    await ringAlarm(box.mailbox);
    expect(await alarmOf(box.mailbox)).toBe(Date.now() - 1_000 + LEASE_MS);
  });
});

describe("the operator", () => {
  it("sets webhooks of a mailbox by its address", async () => {
    const world = outside();
    const box = await createMailbox();
    const set = await ask(`/v1/mailbox?mailbox=${box.mailbox}`, {
      key: OPERATOR,
      method: "PATCH",
      json: { webhook_url: HOOK },
    });
    expect(set.body).toMatchObject({ mailbox: box.mailbox, webhook_url: HOOK });
    await deliver(box.mailbox, plainMessage());
    await settled(box);
    expect(world.sent).toHaveLength(1);
  });
});

describe("the log of deliveries", () => {
  const DAY_MS = 86_400_000;
  const counts = async (box: TestMailbox) => {
    const count = async (table: string) =>
      (await rowsOf(box.mailbox, `SELECT 1 AS one FROM ${table}`)).length;
    return [
      { events: await count("event"), deliveries: await count("delivery"), attempts: await count("attempt") },
    ];
  };

  it("is kept as long as the log, and then erased by alarm, with all attempts", async () => {
    outside(broken);
    const box = await hooked();
    await receive(box);
    await drain(box);
    expect(await counts(box)).toEqual([{ events: 1, deliveries: 1, attempts: 4 }]);
    await later(box, 29 * DAY_MS);
    expect(await counts(box)).toEqual([{ events: 1, deliveries: 1, attempts: 4 }]);
    await later(box, 2 * DAY_MS);
    expect(await counts(box)).toEqual([{ events: 0, deliveries: 0, attempts: 0 }]);
    expect(await alarmOf(box.mailbox)).toBeNull();
  });

  it("is also erased of deliveries without a log entry", async () => {
    outside();
    const box = await hooked();
    await ask("/v1/webhook/test", { key: box.api_key, method: "POST" });
    await settled(box);
    await later(box, LEASE_MS);
    const due = (await alarmOf(box.mailbox)) ?? 0;
    await later(box, due - Date.now());
    expect(await counts(box)).toEqual([{ events: 0, deliveries: 0, attempts: 0 }]);
    expect(await alarmOf(box.mailbox)).toBeNull();
  });
});
