import { runInDurableObject } from "cloudflare:test";
import { MESSAGES } from "../../src/mailbox/messages/schema.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { EmailPage } from "../../src/contract/message.ts";
import {
  actorOf,
  ask,
  createMailbox,
  deliver,
  evict,
  OPERATOR,
  plainMessage,
  rowsOf,
  setVariables,
} from "../harness.ts";
import { configure, endOutside, HOOK, outside } from "../webhook-target.ts";

afterEach(endOutside);

const subjects = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix} ${at}`);

async function deliverAll(mailbox: string, raws: readonly string[]) {
  return Promise.all(raws.map((raw) => deliver(mailbox, raw)));
}

const listed = async (key: string) =>
  (await ask<EmailPage>("/v1/inbox?limit=100", { key })).body.emails.map(({ id, subject }) => ({
    id,
    subject,
  }));

/** Records how many messages each transaction of a mailbox stores from now on. */
async function transactionsOf(mailbox: string): Promise<number[]> {
  const counts: number[] = [];
  await runInDurableObject(actorOf(mailbox), ({ life }, { storage }) => {
    life.context.tables(MESSAGES).make();
    const made = storage.transactionSync.bind(storage);
    const count = () => storage.sql.exec("SELECT count(*) AS n FROM message").one()["n"] as number;
    vi.spyOn(storage, "transactionSync").mockImplementation((change) => {
      const before = count();
      const result = made(change);
      if (count() > before) counts.push(count() - before);
      return result;
    });
  });
  return counts;
}

describe("mail that comes all at once", () => {
  it("is stored completely: each message once, with its own id, searchable and logged", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    const names = subjects("Crowd", 60);
    const answers = await deliverAll(
      mailbox,
      names.map((subject) => plainMessage({ subject })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 202));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(60);
    await evict(mailbox);
    const kept = await listed(key);
    expect(kept.map(({ subject }) => subject).toSorted()).toEqual(names.toSorted());
    expect(kept.map(({ id }) => id).toSorted()).toEqual(answers.map(({ body }) => body.id).toSorted());
    const found = await ask<EmailPage>("/v1/search?q=Crowd&limit=100", { key });
    expect(found.body.emails).toHaveLength(60);
    const { body } = await ask<{ events: { seq: number }[] }>("/v1/changes?after=0&limit=100", { key });
    expect(body.events.map(({ seq }) => seq)).toEqual(names.map((_, at) => at + 1));
    const stats = await ask<{ inbound: number }>("/v1/stats", { key });
    expect(stats.body.inbound).toBe(60);
  });

  it("shares transactions", async () => {
    const { mailbox } = await createMailbox();
    const transactions = await transactionsOf(mailbox);
    await deliverAll(
      mailbox,
      subjects("Shared", 40).map((subject) => plainMessage({ subject })),
    );
    expect(transactions.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(transactions.length).toBeLessThan(40);
    expect(Math.max(...transactions)).toBeLessThanOrEqual(32);
  });

  it("is one email if it is the same message", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    const raw = plainMessage({ subject: "Twice" });
    const answers = await deliverAll(mailbox, [raw, raw, raw, raw]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.duplicate)).toHaveLength(1);
    expect(await listed(key)).toHaveLength(1);
  });

  it("fills the mailbox to the last byte that fits, and no further", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    const raws = subjects("Room", 9).map((subject) => plainMessage({ subject, body: "x".repeat(500) }));
    const bytes = raws.map((raw) => new TextEncoder().encode(raw).byteLength);
    const quota = (bytes[0] ?? 0) * 4 + 100;
    await setVariables(mailbox, { MAILBOX_QUOTA_BYTES: String(quota) });
    const answers = await deliverAll(mailbox, raws);
    expect(answers.filter((one) => one.status === 202)).toHaveLength(4);
    expect(await listed(key)).toHaveLength(4);
    const [account] = await rowsOf<{ storage_bytes: number }>(mailbox, "SELECT storage_bytes FROM account");
    expect(account?.storage_bytes).toBeLessThanOrEqual(quota);
  });

  it("is stored even if one message among it cannot be written", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    await runInDurableObject(actorOf(mailbox), ({ life }, { storage }) => {
      life.context.tables(MESSAGES).make();
      storage.sql.exec(`CREATE TRIGGER poison BEFORE INSERT ON message WHEN NEW.listing LIKE '%Poison%'
        BEGIN SELECT raise(ABORT, 'poison'); END`);
    });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const names = [...subjects("Sound", 5), "Poison", ...subjects("Whole", 5)];
    const answers = await deliverAll(
      mailbox,
      names.map((subject) => plainMessage({ subject })),
    );
    vi.restoreAllMocks();
    expect(answers.map(({ status }) => status)).toEqual(
      names.map((subject) => (subject === "Poison" ? 503 : 202)),
    );
    const stats = await ask<{ inbound: number }>("/v1/stats", { key });
    expect(stats.body.inbound).toBe(10);
    expect((await listed(key)).map(({ subject }) => subject).toSorted()).toEqual(
      names.filter((subject) => subject !== "Poison").toSorted(),
    );
  });

  it("leaves no rows, counts or events of a message whose transaction fails at its end", async () => {
    const world = outside();
    const box = await createMailbox();
    const { mailbox } = box;
    await configure(box, { webhook_url: HOOK });
    await runInDurableObject(actorOf(mailbox), ({ life }, { storage }) => {
      life.context.tables(MESSAGES).make();
      storage.sql.exec(`CREATE TRIGGER poison BEFORE INSERT ON delivery
        WHEN (SELECT data FROM event WHERE seq = NEW.event) LIKE '%Poison%'
        BEGIN SELECT raise(ABORT, 'poison'); END`);
    });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const names = ["Poison 1", ...subjects("Sound", 6), "Poison 2", ...subjects("Whole", 6), "Poison 3"];
    await deliverAll(
      mailbox,
      names.map((subject) => plainMessage({ subject })),
    );
    await vi.waitFor(() => expect(world.to(HOOK)).toHaveLength(12));
    expect(world.to(HOOK).map(({ json }) => json.seq)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    const [stored] = await rowsOf(mailbox, "SELECT * FROM account");
    const [counted] = await rowsOf(
      mailbox,
      "SELECT sum(size_bytes) AS storage_bytes, count(*) AS inbound FROM message",
    );
    expect(stored).toMatchObject({ ...counted, inbound: 12, last_event: 12 });
    await runInDurableObject(actorOf(mailbox), ({ life }) => {
      expect(stored).toMatchObject({ ...life.lifecycle.account?.row });
    });
  });

  it("waits in memory up to a limit; mail refused beyond it is accepted later", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    let isDurable = (): void => undefined;
    const durable = new Promise<void>((resolve) => (isDurable = resolve));
    await runInDurableObject(actorOf(mailbox), (_, { storage }) => {
      vi.spyOn(storage, "sync").mockReturnValue(durable);
    });
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const raws = subjects("Flood", 100).map((subject) =>
      plainMessage({ subject, body: "word ".repeat(80_000) }),
    );
    const answers = raws.map((raw) => deliver(mailbox, raw));
    expect((await Promise.race(answers)).status).toBe(503);
    isDurable();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    vi.restoreAllMocks();
    const stored = statuses.filter((status) => status === 202).length;
    expect(stored).toBeGreaterThan(20);
    expect(statuses.filter((status) => status === 503)).toHaveLength(raws.length - stored);
    const again = await deliverAll(mailbox, raws.slice(0, 30));
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 202));
    const { body } = await ask<{ inbound: number }>("/v1/stats", { key });
    expect(body.inbound).toBe(stored + again.filter((one) => !one.body.duplicate).length);
  });

  it("hands each code to one of the waiting calls", async () => {
    const { mailbox, api_key: key } = await createMailbox();
    const waiting = [1, 2, 3].map(() => ask("/v1/code?consume=true&timeout=20", { key }));
    await runInDurableObject(actorOf(mailbox), async ({ life }) => {
      await vi.waitFor(() => expect(life.codes.waiting).toBe(3));
    });
    const codes = ["111222", "333444", "555666"];
    await deliverAll(
      mailbox,
      codes.map((code) => plainMessage({ subject: `Your verification code is ${code}` })),
    );
    const handed = (await Promise.all(waiting)).map(({ body }) => String(body["code"]));
    expect(handed.toSorted()).toEqual(codes);
    expect((await ask("/v1/code?timeout=1", { key })).body).toEqual({ code: null });
  });

  it("is all refused once the mailbox is erased, and leaves no data", async () => {
    const { mailbox } = await createMailbox();
    const raws = subjects("Late", 10).map((subject) => plainMessage({ subject }));
    const [erased, ...answers] = await Promise.all([
      ask(`/v1/mailboxes/${encodeURIComponent(mailbox)}`, { method: "DELETE", key: OPERATOR }),
      ...raws.map((raw) => deliver(mailbox, raw)),
    ]);
    expect(erased.status).toBe(200);
    expect(answers.every(({ status }) => [202, 404].includes(status))).toBe(true);
    expect((await deliver(mailbox, plainMessage())).status).toBe(404);
  });
});
