import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PART_BYTES, R2BlobStore } from "../../src/blobs/r2.ts";
import {
  actorOf,
  advance,
  api,
  ask,
  createMailbox,
  deliver,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  withBindings,
  type TestMailbox,
} from "../harness.ts";
import { bucket, bucketWith, keysOf } from "../bucket.ts";
import { runInDurableObject } from "cloudflare:test";

const HOUR_MS = 3_600_000;
/** Too large for a row of the mailbox. */
const LARGE_BYTES = 600_000;
/** Time limit of a store whose bucket never answers. */
const SHORT_MS = 20;

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

const never = () => new Promise<never>(() => undefined);
const refuses = () => Promise.reject(new Error("The bucket is down"));

/** A bucket that does what it is asked and reports a failure. */
const liar = () =>
  bucketWith({
    put: async (key: string, bytes: Uint8Array) => {
      await bucket.put(key, bytes);
      throw new Error("The bucket is down");
    },
  });

describe("a bucket that never answers", () => {
  const storeOf = (methods: Record<string, unknown>) => new R2BlobStore(bucketWith(methods), SHORT_MS);
  const hanging = {
    uploadPart: async (key: string) => ({
      ...(await bucket.createMultipartUpload(key)),
      uploadPart: never,
      abort: never,
    }),
  };

  it.each([
    ["put", () => storeOf({ put: never }).put("k", [new Uint8Array(1)])],
    ["a put of parts", () => storeOf({ put: never }).put("k", [new Uint8Array(1), new Uint8Array(1)])],
    ["a short write", () => storeOf({ put: never }).write("k", [new Uint8Array(1)])],
    [
      "the begin of a long write",
      () => storeOf({ createMultipartUpload: never }).write("k", [new Uint8Array(PART_BYTES + 1)]),
    ],
    [
      "a part of a long write, and its end",
      () =>
        storeOf({ createMultipartUpload: hanging.uploadPart }).write("k", [new Uint8Array(PART_BYTES + 1)]),
    ],
    ["get", () => storeOf({ get: never }).get("k")],
    ["delete", () => storeOf({ delete: never }).delete(["k"])],
  ])("holds up nobody for ever: %s", async (_, call) => {
    await expect(call()).rejects.toThrow(`The bucket did not answer within ${SHORT_MS} ms`);
  });
});

describe("a bucket that stored a wrong number of bytes", () => {
  const short = bucketWith({
    put: (key: string, bytes: Uint8Array) => bucket.put(key, bytes.subarray(1)),
  });

  it("counts as failed: neither a message nor a file is acknowledged", async () => {
    const box = await createMailbox();
    const raw = plainMessage({ body: "x".repeat(LARGE_BYTES) });
    expect((await deliver(box.mailbox, raw, "s@example.com", { BLOBS: short })).status).toBe(503);
    const upload = await upload600k(box, { BLOBS: short });
    expect(upload.status).toBe(503);
    expect((await deliver(box.mailbox, raw)).status).toBe(202);
  });

  it("is not read if it answers with a part of a blob", async () => {
    const box = await createMailbox();
    const key = `partial/${crypto.randomUUID()}`;
    await bucket.put(key, new Uint8Array(LARGE_BYTES));
    await runInDurableObject(actorOf(box.mailbox), async ({ life }) => {
      const pieces = life.blobs.read({ key, sizeBytes: LARGE_BYTES + 1 });
      await expect(pieces.next()).rejects.toThrow("read in part");
    });
    await bucket.delete(key);
  });
});

async function upload600k(box: TestMailbox, vars: Record<string, unknown> = {}) {
  return ask<{ id: string }>("/v1/attachments?filename=a.bin", {
    key: box.api_key,
    method: "POST",
    body: new Uint8Array(LARGE_BYTES).fill(7),
    vars,
  });
}

describe("a bucket that stores and reports a failure", () => {
  it("makes the sender try again, keeps one copy, and is asked to erase the other", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    const raw = plainMessage({ body: "y".repeat(LARGE_BYTES) });
    expect((await deliver(box.mailbox, raw, "s@example.com", { BLOBS: liar() })).status).toBe(503);
    expect((await keysOf()).length).toBe(before.length + 1);
    const { status, body } = await deliver(box.mailbox, raw);
    expect(status).toBe(202);
    advance(HOUR_MS + 1);
    await ringAlarm(box.mailbox);
    expect((await keysOf()).length).toBe(before.length + 1);
    expect(await (await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).text()).toBe(raw);
  });

  it("leaves no file of a refused upload, and takes no room", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    // It does not erase while it is asked to, either.
    const broken = bucketWith({
      put: async (key: string, bytes: Uint8Array) => {
        await bucket.put(key, bytes);
        throw new Error("The bucket is down");
      },
      delete: refuses,
    });
    const refused = await upload600k(box, { BLOBS: broken });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "30"]);
    advance(2 * HOUR_MS);
    await ringAlarm(box.mailbox);
    expect(await keysOf()).toEqual(before);
    expect((await ask("/v1/stats", { key: box.api_key })).body).toMatchObject({ storage_bytes: 0 });
    expect(await rowsOf(box.mailbox, "SELECT key FROM late_blob")).toEqual([]);
  });

  it("does not delay the erasure of a mailbox: the address is free once the bucket works again", async () => {
    const box = await createMailbox();
    const before = await keysOf();
    await deliver(box.mailbox, plainMessage({ body: "z".repeat(LARGE_BYTES) }));
    await withBindings(box.mailbox, { BLOBS: bucketWith({ delete: refuses }) }, async () => {
      const erased = await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
      expect(erased.status).toBe(200);
      expect((await ask("/v1/inbox", { key: box.api_key })).status).toBe(401);
    });
    advance(HOUR_MS);
    await ringAlarm(box.mailbox);
    expect(await keysOf()).toEqual(before);
  });
});

describe("a bucket that cannot be read", () => {
  it("causes 503 for messages that lie in it, and affects nothing else", async () => {
    const box = await createMailbox();
    const other = await createMailbox();
    const raw = plainMessage({ subject: "Large", body: "w".repeat(LARGE_BYTES) });
    const { body } = await deliver(box.mailbox, raw);
    const upload = await upload600k(box);
    const vars = { BLOBS: bucketWith({ get: refuses }) };
    for (const path of [`/v1/emails/${body.id}/raw`, `/v1/attachments/${upload.body.id}`]) {
      const answer = await ask<{ code: string }>(path, { key: box.api_key, vars });
      expect([answer.status, answer.body.code, answer.headers.get("Retry-After")]).toEqual([
        503,
        "unavailable",
        "5",
      ]);
    }
    expect((await ask("/v1/inbox", { key: box.api_key, vars })).status).toBe(200);
    expect((await deliver(other.mailbox, plainMessage(), "s@example.com", vars)).status).toBe(202);
    expect((await api(`/v1/emails/${body.id}/raw`, { key: box.api_key })).status).toBe(200);
  });

  it("is not asked for the texts of a message that lies in it", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, plainMessage({ body: "v".repeat(LARGE_BYTES) }));
    const vars = { BLOBS: bucketWith({ get: refuses }) };
    await withBindings(box.mailbox, vars, async () => {
      const { status } = await ask(`/v1/emails/${body.id}`, { key: box.api_key, vars });
      expect(status).toBe(200);
    });
  });

  it("causes 503 if it breaks off in the middle of a message of an earlier version, whose texts are read from it", async () => {
    const box = await createMailbox();
    const { body } = await deliver(box.mailbox, plainMessage({ body: "v".repeat(LARGE_BYTES) }));
    await rowsOf(box.mailbox, "UPDATE content SET body_key = NULL, body_layout = NULL");
    const broken = bucketWith({
      get: () =>
        Promise.resolve({
          body: new ReadableStream({
            start(controller) {
              controller.enqueue(new Uint8Array(10));
              controller.error(new Error("The bucket is gone"));
            },
          }),
        }),
    });
    await withBindings(box.mailbox, { BLOBS: broken }, async () => {
      const answer = await ask(`/v1/emails/${body.id}`, { key: box.api_key });
      expect(answer.status).toBe(503);
    });
    const answer = await ask<{ body_text: string }>(`/v1/emails/${body.id}`, { key: box.api_key });
    expect([answer.status, answer.body.body_text.trim().length]).toEqual([200, LARGE_BYTES]);
    const vars = { BLOBS: broken };
    const path = `/v1/mailboxes/${box.mailbox}/reindex`;
    expect((await ask(path, { key: OPERATOR, method: "POST", vars })).status).toBe(503);
  });
});
