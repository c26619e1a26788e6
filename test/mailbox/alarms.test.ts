import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { directoryShard } from "../../src/contract/directory.ts";
import { locatorOf } from "../../src/contract/key.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  DOMAIN,
  evict,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setClock,
  tablesOf,
  withBindings,
} from "../harness.ts";

const HOUR_MS = 3_600_000;
const DIRECTORY_RETRY_MS = 30_000;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

/** Sets the mailbox's clock an hour ahead, so that its alarms ring only when the test rings them. */
const holdAlarms = () => setClock(Date.now() + HOUR_MS);

const large = () => plainMessage({ body: "x".repeat(600_000) });
const listed = async (address: string) => {
  const entries = await env.DIRECTORY.getByName(directoryShard(address)).list({
    after: "",
    status: null,
    limit: 1_000,
  });
  return entries.find((entry) => entry.address === address) ?? null;
};
const blobCount = async () => (await env.BLOBS.list()).objects.length;

const BROKEN_DIRECTORY = {
  getByName: () => ({
    // The directory fails after it said that the address is free.
    standing: () => Promise.resolve({ kind: "free" }),
    report: () => Promise.reject(new Error("The directory is down")),
    remove: () => Promise.reject(new Error("The directory is down")),
  }),
};
const BROKEN_BUCKET = { delete: () => Promise.reject(new Error("The bucket is down")) };

describe("the alarm of a mailbox", () => {
  it("is set again by the next call, if the platform deleted it while work was due", async () => {
    const { mailbox } = await bootstrap();
    const end = await alarmOf(mailbox);
    expect(end).not.toBeNull();
    await runInDurableObject(actorOf(mailbox), (_, state) => state.storage.deleteAlarm());
    expect(await alarmOf(mailbox)).toBeNull();
    await evict(mailbox);
    expect(await alarmOf(mailbox)).toBe(end);
  });

  it("rings at once after an eviction if work is overdue", async () => {
    const { mailbox, api_key } = await createMailbox();
    const { body } = await deliver(mailbox, large());
    await ask(`/v1/emails/${body.id}`, { key: api_key, method: "DELETE" });
    const before = await blobCount();
    await runInDurableObject(actorOf(mailbox), (_, state) => state.storage.deleteAlarm());
    await evict(mailbox);
    await api("/v1/me", { key: api_key });
    await vi.waitFor(async () => expect(await blobCount()).toBeLessThan(before), { timeout: 5_000 });
  });

  it("does its other jobs if one of them fails, and rings again for that one", async () => {
    holdAlarms();
    const { mailbox, api_key } = await createMailbox();
    const { body } = await deliver(mailbox, large());
    await ask("/v1/inbox", { key: api_key });
    const before = await blobCount();
    await withBindings(mailbox, { DIRECTORY: BROKEN_DIRECTORY }, async () => {
      await ask("/v1/mailbox/pause", { key: api_key, method: "PATCH" });
      await ask("/v1/mailbox/resume", { key: api_key, method: "PATCH" });
      await ask(`/v1/emails/${body.id}`, { key: api_key, method: "DELETE" });
      advance(DIRECTORY_RETRY_MS);
      await ringAlarm(mailbox);
      expect(await blobCount()).toBe(before - 1);
      expect(await alarmOf(mailbox)).toBe(Date.now() + DIRECTORY_RETRY_MS);
    });
  });

  it("reports to the directory even if the bucket fails", async () => {
    holdAlarms();
    const { mailbox, api_key } = await createMailbox();
    const { body } = await deliver(mailbox, large());
    await withBindings(mailbox, { DIRECTORY: BROKEN_DIRECTORY }, async () => {
      await ask("/v1/mailbox/pause", { key: api_key, method: "PATCH" });
    });
    expect(await listed(mailbox)).toMatchObject({ status: "active" });
    await ask("/v1/mailbox/resume", { key: api_key, method: "PATCH" });
    await withBindings(mailbox, { DIRECTORY: BROKEN_DIRECTORY }, async () => {
      await ask(`/v1/emails/${body.id}`, { key: api_key, method: "DELETE" });
      await ask("/v1/mailbox/pause", { key: api_key, method: "PATCH" });
    });
    advance(DIRECTORY_RETRY_MS);
    await withBindings(mailbox, { BLOBS: BROKEN_BUCKET }, async () => {
      await ringAlarm(mailbox);
    });
    expect(await listed(mailbox)).toMatchObject({ status: "paused" });
    expect(await alarmOf(mailbox)).not.toBeNull();
  });

  it("may ring twice or early", async () => {
    const { mailbox, api_key } = await bootstrap();
    const raw = large();
    const { body } = await deliver(mailbox, raw);
    for (let count = 0; count < 3; count += 1) await ringAlarm(mailbox);
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: api_key })).text()).toBe(raw);
    advance(73 * HOUR_MS);
    const { body: fresh } = await ask<{ status: string }>(`/v1/mailboxes/${mailbox}`, { key: OPERATOR });
    expect(fresh).toMatchObject({ code: "not_found" });
    expect(await ringAlarm(mailbox)).toBe(true);
    expect(await ringAlarm(mailbox)).toBe(false);
    expect(await tablesOf(mailbox)).toEqual([]);
  });

  it("writes nothing in an object that holds no mailbox", async () => {
    const address = `never-${crypto.randomUUID()}@${DOMAIN}`;
    await runInDurableObject(env.MAILBOX.getByName(locatorOf(address)), async (instance, state) => {
      await instance.onAlarm();
      expect(await state.storage.getAlarm()).toBeNull();
    });
    expect(await tablesOf(address)).toEqual([]);
  });
});

describe("the directory", () => {
  it("that fails when a mailbox is created gets its report by alarm", async () => {
    holdAlarms();
    const name = `told-later-${Math.random().toString(36).slice(2, 8)}`;
    const address = `${name}@${DOMAIN}`;
    await withBindings(address, { DIRECTORY: BROKEN_DIRECTORY }, async () => {
      await createMailbox("permanent", name);
      expect(await alarmOf(address)).toBe(Date.now() + DIRECTORY_RETRY_MS);
      advance(DIRECTORY_RETRY_MS);
      await ringAlarm(address);
      expect(await alarmOf(address)).toBe(Date.now() + DIRECTORY_RETRY_MS);
    });
    expect(await listed(address)).toBeNull();
    await evict(address);
    advance(DIRECTORY_RETRY_MS);
    await ringAlarm(address);
    expect(await listed(address)).toMatchObject({ kind: "permanent", status: "active" });
    expect(await alarmOf(address)).toBeNull();
  });

  it("that fails when a mailbox is deleted does not delay the end: 401 at once, erased by alarm", async () => {
    holdAlarms();
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, plainMessage());
    await withBindings(mailbox, { DIRECTORY: BROKEN_DIRECTORY }, async () => {
      expect((await ask("/v1/mailbox", { key: api_key, method: "DELETE" })).status).toBe(200);
      expect((await api("/v1/inbox", { key: api_key })).status).toBe(401);
      expect((await deliver(mailbox, plainMessage())).status).toBe(404);
    });
    await evict(mailbox);
    expect((await api("/v1/inbox", { key: api_key })).status).toBe(401);
    expect((await ask(`/v1/mailboxes/${mailbox}`, { key: OPERATOR })).status).toBe(404);
    advance(DIRECTORY_RETRY_MS);
    expect(await ringAlarm(mailbox)).toBe(true);
    expect(await tablesOf(mailbox)).toEqual([]);
    expect(await listed(mailbox)).toBeNull();
  });
});

describe("the end of a mailbox whose directory fails", () => {
  it("answers how many blobs it erased, and is complete when the directory works again", async () => {
    holdAlarms();
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, large());
    const broken = { getByName: () => ({ remove: () => Promise.reject(new Error("down")) }) };
    await withBindings(mailbox, { DIRECTORY: broken }, async () => {
      const gone = await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
      expect(gone.body).toMatchObject({ ok: true, r2_blobs_deleted: 1 });
    });
    advance(DIRECTORY_RETRY_MS);
    await ringAlarm(mailbox);
    expect(await tablesOf(mailbox)).toEqual([]);
    expect(await listed(mailbox)).toBeNull();
  });
});

describe("the end of a mailbox whose bucket fails", () => {
  it("is effective at once, and complete when the bucket works again", async () => {
    holdAlarms();
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, large());
    const before = await blobCount();
    await withBindings(mailbox, { BLOBS: BROKEN_BUCKET }, async () => {
      const gone = await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
      expect(gone.body).toMatchObject({ ok: true, r2_blobs_deleted: 0 });
      for (let count = 0; count < 8; count += 1) {
        expect(await alarmOf(mailbox)).toBe(Date.now() + DIRECTORY_RETRY_MS);
        advance(DIRECTORY_RETRY_MS);
        await ringAlarm(mailbox);
      }
    });
    expect((await api("/v1/inbox", { key: api_key })).status).toBe(401);
    expect(await blobCount()).toBe(before);
    expect(await rowsOf(mailbox, "SELECT id FROM api_key")).toEqual([]);
    advance(DIRECTORY_RETRY_MS);
    await ringAlarm(mailbox);
    expect(await blobCount()).toBe(before - 1);
    expect(await tablesOf(mailbox)).toEqual([]);
    expect(await alarmOf(mailbox)).toBeNull();
  });

  it("counts the blobs it erased", async () => {
    const { mailbox, api_key } = await createMailbox();
    for (let count = 0; count < 3; count += 1) await deliver(mailbox, large());
    const before = await blobCount();
    await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
    expect(await blobCount()).toBe(before - 3);
  });

  it("frees its address for a new mailbox, which shows nothing of the old one", async () => {
    const name = `second-life-${Math.random().toString(36).slice(2, 8)}`;
    const first = await createMailbox("permanent", name);
    await deliver(first.mailbox, plainMessage({ subject: "Of the first owner" }));
    await ask("/v1/mailbox", { key: first.api_key, method: "DELETE" });
    const second = await createMailbox("permanent", name);
    expect(second.mailbox).toBe(first.mailbox);
    expect((await api("/v1/inbox", { key: first.api_key })).status).toBe(401);
    expect((await ask("/v1/inbox", { key: second.api_key })).body).toMatchObject({ emails: [] });
  });
});
