import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  DIRECTORY_ORDERS,
  DIRECTORY_SHARDS,
  directoryShard,
  shardName,
  type DirectorySearch,
} from "../../src/contract/directory.ts";
import type { EntryRow } from "../../src/directory/schema.ts";
import { findMailboxes, mailboxesThatKept, tallyMailboxes } from "../../src/service/directory-search.ts";
import { actorOf, ask, createMailbox, kill, withBindings, type TestMailbox } from "../harness.ts";
import {
  broken,
  configure,
  drain,
  endOutside,
  holdAlarms,
  HOOK,
  hooked,
  later,
  ok,
  outside,
  receive,
} from "../webhook-target.ts";

/** A report waits this long for others to share its call. */
const DELAY_MS = 1_000;

beforeEach(holdAlarms);
afterEach(endOutside);

async function entryOf(box: TestMailbox): Promise<EntryRow | undefined> {
  const shard = env.DIRECTORY.getByName(directoryShard(box.mailbox));
  const found = await shard.find({ text: box.mailbox, only: null, order: "address", after: "", limit: 1 });
  return found.entries[0];
}

async function sendOut(box: TestMailbox, subject = "Hello"): Promise<string> {
  const sent = await ask<{ id: string }>("/v1/send?wait=5", {
    key: box.api_key,
    json: { to: "ann@example.com", subject, text: "Hello." },
  });
  expect(sent.status).toBe(200);
  return sent.body.id;
}

async function failTenTimes(box: TestMailbox): Promise<void> {
  for (let count = 0; count < 10; count += 1) await receive(box);
  await drain(box);
}

describe("the directory's report of webhooks", () => {
  it("says that one failed, and that its URL was set again", async () => {
    outside(broken);
    const box = await hooked();
    await failTenTimes(box);
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ webhooks_failed: 1 });
    await configure(box, { webhook_url: HOOK });
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ webhooks_failed: 0 });
  });

  it("says that a failed one was removed", async () => {
    outside(broken);
    const box = await hooked();
    await failTenTimes(box);
    await later(box, DELAY_MS);
    await configure(box, { webhook_url: null });
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ webhooks_failed: 0 });
  });

  it("does not mention those that work", async () => {
    outside(ok);
    const box = await hooked();
    const report = vi.fn<() => Promise<void>>(() => Promise.resolve());
    await withBindings(box.mailbox, { DIRECTORY: { getByName: () => ({ report }) } }, async () => {
      await receive(box);
      await drain(box);
      await later(box, DELAY_MS);
    });
    expect(report).not.toHaveBeenCalled();
  });

  it("is repeated after the directory was down, and after the actor died before it reported", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    outside(broken);
    const box = await hooked();
    const down = { getByName: () => ({ report: () => Promise.reject(new Error("The directory is down")) }) };
    await withBindings(box.mailbox, { DIRECTORY: down }, async () => {
      await failTenTimes(box);
      await later(box, DELAY_MS);
    });
    expect(await entryOf(box)).toMatchObject({ webhooks_failed: 0 });
    await kill(box.mailbox);
    await later(box, 30_000);
    expect(await entryOf(box)).toMatchObject({ webhooks_failed: 1 });
  });
});

describe("the directory's report of a relay that takes nothing", () => {
  it("says that it does not, and later that it took a message", async () => {
    const box = await createMailbox();
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => {
      life.outbox.noteObstacle("530 log in", 0);
    });
    for (const action of ["pause", "resume"])
      await ask(`/v1/mailbox/${action}`, { key: box.api_key, method: "PATCH" });
    expect(await entryOf(box)).toMatchObject({ cannot_send: 1 });
    await sendOut(box);
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ cannot_send: 0 });
  });
});

describe("the directory's report of mail that was kept instead of sent", () => {
  it("says when the newest was sent, and that it was erased", async () => {
    const box = await createMailbox();
    expect(await entryOf(box)).toMatchObject({ kept_at: null });
    const first = await sendOut(box);
    await later(box, DELAY_MS);
    const firstAt = (await entryOf(box))?.kept_at;
    await later(box, 60_000);
    const second = await sendOut(box);
    await later(box, DELAY_MS);
    const secondAt = (await entryOf(box))?.kept_at ?? 0;
    expect(secondAt).toBeGreaterThanOrEqual((firstAt ?? Number.NaN) + 60_000);

    await ask(`/v1/emails/${second}`, { key: box.api_key, method: "DELETE" });
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ kept_at: firstAt });
    await ask(`/v1/emails/${first}`, { key: box.api_key, method: "DELETE" });
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ kept_at: null });
  });

  it("does not mention mail that stays inside", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    await ask("/v1/send?wait=5", {
      key: box.api_key,
      json: { to: other.mailbox, subject: "Hello", text: "Hello." },
    });
    await later(box, DELAY_MS);
    expect(await entryOf(box)).toMatchObject({ kept_at: null });
  });

  it("finds the mailboxes with the newest of it, over all shards", async () => {
    const boxes: TestMailbox[] = [];
    for (let n = 0; n < 5; n += 1) {
      const box = await createMailbox();
      await sendOut(box);
      await later(box, DELAY_MS);
      boxes.unshift(box);
    }
    const found = await mailboxesThatKept(env, 3);
    expect(found.map(({ address }) => address)).toEqual(boxes.slice(0, 3).map(({ mailbox }) => mailbox));
  });
});

describe("a search of all mailboxes", () => {
  const run = `s${Math.random().toString(36).slice(2, 8)}`;
  const addressOf = (n: number) => `${run}-${String(n).padStart(3, "0")}@mailkeep.test`;
  const COUNT = 100;
  const search = (wanted: Partial<DirectorySearch>) =>
    findMailboxes(env, { text: run, only: null, order: "address", after: "", limit: COUNT, ...wanted });
  const addresses = ({ entries }: { entries: EntryRow[] }) => entries.map(({ address }) => address);

  beforeEach(async () => {
    await Promise.all(
      Array.from({ length: COUNT }, (_, n) =>
        env.DIRECTORY.getByName(directoryShard(addressOf(n))).report({
          address: addressOf(n),
          kind: "permanent",
          status: n % 10 === 0 ? "paused" : "active",
          created_at: Math.floor(n / 20),
          expires_at: null,
          webhooks_failed: n % 25 === 0,
          kept_at: n % 50 === 0 ? n : null,
          cannot_send: n % 33 === 0,
        }),
      ),
    );
  });

  it("finds each once, in one order over all shards, 7 to a page", async () => {
    const seen: string[] = [];
    let after: string | null = "";
    while (after !== null) {
      const page = await search({ after, limit: 7 });
      expect(page.total).toBe(COUNT);
      seen.push(...addresses(page));
      after = page.next;
    }
    expect(seen).toEqual(Array.from({ length: COUNT }, (_, n) => addressOf(n)));
  });

  it("finds each once in every order, also where many were created at one moment", async () => {
    for (const order of DIRECTORY_ORDERS) {
      const seen: string[] = [];
      for (let after: string | null = ""; after !== null;) {
        const page = await search({ order, after, limit: 9 });
        seen.push(...addresses(page));
        after = page.next;
      }
      const expected = Array.from({ length: COUNT }, (_, n) => addressOf(n));
      expect(seen).toEqual(order.startsWith("-") ? expected.toReversed() : expected);
    }
  });

  it("counts all mailboxes and those in a state, without the expired ones", async () => {
    const before = await tallyMailboxes(env);
    const entries = [
      { n: 201, expires_at: 1 },
      { n: 202, expires_at: Date.now() + 60_000, status: "paused" as const },
      { n: 203, webhooks_failed: true },
      { n: 204, cannot_send: true },
      { n: 205, cannot_send: true, expires_at: 1 },
    ];
    const shardOf = (address: string) => env.DIRECTORY.getByName(directoryShard(address));
    for (const { n, ...rest } of entries) {
      const address = addressOf(n);
      const made = { kind: "permanent", status: "active", created_at: n, expires_at: null } as const;
      await shardOf(address).report({ address, ...made, ...rest });
    }
    const { total, paused, failing, cannotSend } = await tallyMailboxes(env);
    expect([total, paused, failing, cannotSend]).toEqual([
      before.total + 3,
      before.paused + 1,
      before.failing + 1,
      before.cannotSend + 1,
    ]);
    for (const { n } of entries) await shardOf(addressOf(n)).remove(addressOf(n));
  });

  it("searches the name only, unless the text contains an @", async () => {
    expect(addresses(await search({ text: `${run}-04` }))).toHaveLength(10);
    expect(addresses(await search({ text: `${run.slice(2)}-042` }))).toEqual([addressOf(42)]);
    expect(addresses(await search({ text: `${run}-042@mailkeep` }))).toEqual([addressOf(42)]);
    const domain = await search({ text: `mailkeep.test` });
    expect(addresses(domain)).toEqual([]);
    expect((await search({ text: "%" })).total).toBe(0);
    expect((await search({ text: "' OR 1=1" })).total).toBe(0);
  });

  it("finds those in a state", async () => {
    expect((await search({ only: "paused" })).total).toBe(10);
    expect((await search({ only: "active" })).total).toBe(90);
    expect(addresses(await search({ only: "failing" }))).toEqual([0, 25, 50, 75].map(addressOf));
    expect(addresses(await search({ only: "kept" }))).toEqual([0, 50].map(addressOf));
    expect(addresses(await search({ only: "cannot-send" }))).toEqual([0, 33, 66, 99].map(addressOf));
  });

  it("counts a mailbox of an earlier release as one without trouble", async () => {
    const address = addressOf(999);
    const shard = env.DIRECTORY.getByName(directoryShard(address));
    await shard.report({ address, kind: "permanent", status: "active", created_at: 1, expires_at: null });
    expect((await search({ text: `${run}-999` })).entries).toMatchObject([
      { webhooks_failed: 0, kept_at: null, cannot_send: 0 },
    ]);
    await shard.remove(address);
  });

  it("asks every shard", async () => {
    const name = `everywhere-${crypto.randomUUID().slice(0, 8)}`;
    const byShard = new Map<string, string>();
    for (let n = 0; byShard.size < DIRECTORY_SHARDS; n += 1) {
      const address = `${name}-${n}@mailkeep.test`;
      byShard.set(directoryShard(address), address);
    }
    expect([...byShard.keys()]).toContain(shardName(0));
    for (const [shard, address] of byShard) {
      const entry = {
        address,
        kind: "permanent",
        status: "active",
        created_at: 1,
        expires_at: null,
      } as const;
      await env.DIRECTORY.getByName(shard).report(entry);
    }
    expect(addresses(await search({ text: name }))).toEqual([...byShard.values()].toSorted());
  });
});
