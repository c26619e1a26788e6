import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  tablesOf,
  withBindings,
  type TestMailbox,
} from "../harness.ts";
import { bucket, bucketWith, keysOf } from "../bucket.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Too large for a row of the mailbox. */
const LARGE_BYTES = 600_000;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

/** A promise that a test resolves. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const large = (subject = "Large") => plainMessage({ subject, body: "x".repeat(LARGE_BYTES) });
const reservations = ({ mailbox }: TestMailbox) =>
  rowsOf<{ key: string; erasing: number }>(mailbox, "SELECT key, erasing FROM blob_to_erase");
const inbox = async ({ api_key }: TestMailbox) =>
  (await ask<{ emails: { id: string; subject: string }[] }>("/v1/inbox", { key: api_key })).body.emails;

describe("a blob whose reservation has ended", () => {
  /** Delivers a large message whose blob is written and whose rows wait until the test opens the gate. */
  async function arriving(box: TestMailbox, raw: string) {
    const [written, door] = [gate(), gate()];
    const MAILBOX = {
      getByName: (name: string) => ({
        reserve: (keys: string[], bytes: number) => env.MAILBOX.getByName(name).reserve(keys, bytes),
        // Its text is also large, and stored in chunks.
        putChunk: (...args: Parameters<ReturnType<typeof actorOf>["putChunk"]>) =>
          env.MAILBOX.getByName(name).putChunk(...args),
        deleteChunks: (keys: string[]) => env.MAILBOX.getByName(name).deleteChunks(keys),
        async receive(...args: Parameters<ReturnType<typeof actorOf>["receive"]>) {
          written.open();
          await door.opened;
          return env.MAILBOX.getByName(name).receive(...args);
        },
      }),
    };
    const answer = deliver(box.mailbox, raw, "s@example.com", { MAILBOX });
    await written.opened;
    return { answer, open: door.open };
  }

  it("cannot be claimed by a message once its erasure has begun, however slow the bucket is", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    const raw = large();
    const message = await arriving(box, raw);
    advance(HOUR_MS + 1);
    // Flags, because the actor cannot wait for a promise of the test.
    const slow = { isAsked: false, answers: false };
    const BLOBS = bucketWith({
      delete: async (keys: string[]) => {
        slow.isAsked = true;
        while (!slow.answers) await new Promise((resolve) => setTimeout(resolve, 5));
        await bucket.delete(keys);
      },
    });
    await withBindings(box.mailbox, { BLOBS }, async () => {
      const alarm = ringAlarm(box.mailbox);
      await vi.waitFor(() => expect(slow.isAsked).toBe(true));
      message.open();
      expect((await message.answer).status).toBe(503);
      slow.answers = true;
      await alarm;
    });
    expect(await inbox(box)).toEqual([]);
    expect(await keysOf()).toEqual(before);
    // The sender tries again.
    const { body } = await deliver(box.mailbox, raw);
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
  });

  it("stays if a message claimed it before", async () => {
    const box = await createMailbox();
    const raw = large();
    const message = await arriving(box, raw);
    advance(HOUR_MS + 1);
    message.open();
    const { status, body } = await message.answer;
    expect(status).toBe(202);
    await ringAlarm(box.mailbox);
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
  });

  it("cannot be claimed if the bucket erased it but failed, even after a restart, and is erased again", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    const message = await arriving(box, large());
    advance(HOUR_MS + 1);
    const BLOBS = bucketWith({
      delete: async (keys: string[]) => {
        await bucket.delete(keys);
        throw new Error("The bucket is down");
      },
    });
    await withBindings(box.mailbox, { BLOBS }, async () => void (await ringAlarm(box.mailbox)));
    await evict(box.mailbox);
    expect((await reservations(box)).map(({ erasing }) => erasing)).toEqual([1, 1]);
    message.open();
    expect((await message.answer).status).toBe(503);
    advance(HOUR_MS);
    await ringAlarm(box.mailbox);
    expect(await reservations(box)).toEqual([]);
    expect(await keysOf()).toEqual(before);
    expect(await inbox(box)).toEqual([]);
  });
});

describe("a blob that is written while its mailbox is erased", () => {
  /** Bindings of a router that dies when its bucket has answered. */
  function dyingRouter(put: () => Promise<void>): { reached: Promise<void>; vars: Record<string, unknown> } {
    const reached = gate();
    const BLOBS = bucketWith({
      put: async (key: string, bytes: Uint8Array) => {
        reached.open();
        await put();
        await bucket.put(key, bytes);
        throw new Error("The isolate is gone");
      },
      delete: () => Promise.reject(new Error("The isolate is gone")),
    });
    return { reached: reached.opened, vars: { BLOBS } };
  }

  it("is erased when its reservation would have ended, even if its router died", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    const door = gate();
    const router = dyingRouter(() => door.opened);
    const answer = deliver(box.mailbox, large(), "s@example.com", router.vars);
    await router.reached;
    const erased = await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect(erased.status).toBe(200);
    expect((await ask("/v1/inbox", { key: box.api_key })).status).toBe(401);
    expect(await tablesOf(box.mailbox)).toEqual(["late_blob"]);
    door.open();
    expect((await answer).status).toBe(503);
    expect((await keysOf()).length).toBe(before.length + 1);
    await evict(box.mailbox);
    expect(await alarmOf(box.mailbox)).toBeGreaterThan(Date.now());
    await ringAlarm(box.mailbox);
    expect((await keysOf()).length).toBe(before.length + 1);
    advance(HOUR_MS + 1);
    await ringAlarm(box.mailbox);
    expect(await keysOf()).toEqual(before);
    expect(await tablesOf(box.mailbox)).toEqual([]);
    expect(await alarmOf(box.mailbox)).toBeNull();
  });

  it("is erased later if the bucket fails", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    const router = dyingRouter(() => Promise.resolve());
    await deliver(box.mailbox, large(), "s@example.com", router.vars);
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    await rowsOf(box.mailbox, "UPDATE late_blob SET due_at = 0");
    await bucket.put("unrelated", "kept");
    const BLOBS = bucketWith({ delete: () => Promise.reject(new Error("The bucket is down")) });
    await withBindings(box.mailbox, { BLOBS }, async () => void (await ringAlarm(box.mailbox)));
    expect(await alarmOf(box.mailbox)).toBeGreaterThan(Date.now());
    advance(MINUTE_MS);
    await ringAlarm(box.mailbox);
    expect(await keysOf()).toEqual([...before, "unrelated"].toSorted());
    await bucket.delete("unrelated");
    expect(await tablesOf(box.mailbox)).toEqual([]);
  });

  it("does not wake a mailbox in a loop if the bucket fails to erase it", async () => {
    const box = await createMailbox();
    const BLOBS = bucketWith({ delete: () => Promise.reject(new Error("The bucket is down")) });
    await withBindings(box.mailbox, { BLOBS }, async () => {
      // As an upload leaves it that did not become whole in time.
      await runInDurableObject(actorOf(box.mailbox), ({ life }) => life.blobs.eraseLate("gone/upload", 0));
      await actorOf(box.mailbox).abandonUpload("gone");
      await ringAlarm(box.mailbox);
      expect(await alarmOf(box.mailbox)).toBeGreaterThanOrEqual(Date.now() + MINUTE_MS / 2);
    });
    advance(MINUTE_MS);
    await ringAlarm(box.mailbox);
    expect(await rowsOf(box.mailbox, "SELECT key FROM late_blob")).toEqual([]);
  });

  it("is erased by a new mailbox with the same address", async () => {
    const name = `late-${Math.random().toString(36).slice(2, 10)}`;
    const box = await createMailbox("permanent", name);
    const before = await keysOf();
    const door = gate();
    const router = dyingRouter(() => door.opened);
    const answer = deliver(box.mailbox, large(), "s@example.com", router.vars);
    await router.reached;
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    const again = await createMailbox("permanent", name);
    door.open();
    await answer;
    const { body } = await deliver(again.mailbox, plainMessage({ subject: "To the new one" }));
    advance(HOUR_MS + 1);
    await ringAlarm(again.mailbox);
    expect(await keysOf()).toEqual(before);
    expect((await inbox(again)).map(({ id }) => id)).toEqual([body.id]);
    expect(await alarmOf(again.mailbox)).not.toBe(0);
  });

  it("does not affect a mailbox that is created while the bucket erases it", async () => {
    const name = `late-${Math.random().toString(36).slice(2, 10)}`;
    const box = await createMailbox("permanent", name);
    const router = dyingRouter(() => Promise.resolve());
    await deliver(box.mailbox, large(), "s@example.com", router.vars);
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    await rowsOf(box.mailbox, "UPDATE late_blob SET due_at = 0");
    // Flags, because the actor cannot wait for a promise of the test.
    const slow = { isAsked: false, answers: false };
    const BLOBS = bucketWith({
      delete: async (keys: string[]) => {
        slow.isAsked = true;
        while (!slow.answers) await new Promise((resolve) => setTimeout(resolve, 5));
        await bucket.delete(keys);
      },
    });
    await withBindings(box.mailbox, { BLOBS }, async () => {
      const alarm = ringAlarm(box.mailbox);
      await vi.waitFor(() => expect(slow.isAsked).toBe(true));
      const again = await createMailbox("permanent", name);
      const { body } = await deliver(again.mailbox, plainMessage({ subject: "To the new one" }));
      slow.answers = true;
      await alarm;
      expect((await inbox(again)).map(({ id }) => id)).toEqual([body.id]);
    });
  });

  it("leaves no row behind if no blob was being written", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, large());
    await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    expect(await tablesOf(box.mailbox)).toEqual([]);
    expect(await alarmOf(box.mailbox)).toBeNull();
  });
});
