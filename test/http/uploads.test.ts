import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { problemBody, TOO_LARGE_ATTACHMENT } from "../../src/contract/problem.ts";
import {
  advance,
  alarmOf,
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  evict,
  kill,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  tablesOf,
  type TestMailbox,
  setVariables,
} from "../harness.ts";

const HOUR_MS = 3_600_000;
const MAX_BYTES = 100_000_000;
const MAX_ROW_BYTES = 524_288;
const PIECE_BYTES = 1_000_000;

interface Upload {
  id: string;
  filename: string;
  content_type: string;
  size_bytes: number;
  sha256: string;
  expires_at: string;
}

interface Sent {
  headers?: Record<string, string>;
  query?: string;
  vars?: Record<string, unknown>;
  key?: string;
}

let box: TestMailbox;

beforeAll(async () => {
  box = await createMailbox();
});
afterEach(() => {
  vi.restoreAllMocks();
  resetClock();
});

const upload = <Body = Upload>(body: BodyInit | undefined, sent: Sent = {}, own = box) =>
  ask<Body>(`/v1/attachments?${sent.query ?? "filename=a.bin"}`, {
    key: sent.key ?? own.api_key,
    method: "POST",
    ...(body === undefined ? {} : { body }),
    headers: sent.headers ?? {},
    vars: sent.vars ?? {},
  });
const refusal = (body: BodyInit, sent: Sent = {}, own = box) =>
  upload<{ error: string; code: string; details?: { path: string }[] }>(body, sent, own);
const download = (id: string, own = box, headers: Record<string, string> = {}) =>
  api(`/v1/attachments/${id}`, { key: own.api_key, headers });
const storage = async (own: TestMailbox) =>
  (await ask<{ storage_bytes: number }>("/v1/stats", { key: own.api_key })).body.storage_bytes;
const uploadRows = (own: TestMailbox) =>
  rowsOf<{ id: string; key: string; size_bytes: number; sha256: string | null; expires_at: number | null }>(
    own.mailbox,
    "SELECT id, key, size_bytes, sha256, expires_at FROM upload",
  );
const chunksOf = (own: TestMailbox) => rowsOf(own.mailbox, "SELECT key FROM blob_chunk");
const objects = async () => (await env.BLOBS.list()).objects.map((object) => object.key);
const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A body of `length` bytes that comes in pieces, without a Content-Length; it fails after `breaksAt` bytes. */
function streamed(length: number, breaksAt = Infinity): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (sent >= breaksAt) {
        controller.error(new Error("The client is gone"));
        return;
      }
      const piece = new Uint8Array(Math.min(PIECE_BYTES, length - sent)).fill(sent / PIECE_BYTES);
      sent += piece.byteLength;
      if (piece.byteLength > 0) controller.enqueue(piece);
      if (sent === length) {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
  });
}

const announced = (length: number) => ({ "Content-Length": String(length) });

/** Expects that an upload left no row and no blob, and that its room is free. */
async function expectNothing(own: TestMailbox, before: readonly string[], storageBefore = 0): Promise<void> {
  await vi.waitFor(async () => {
    expect(await uploadRows(own)).toEqual([]);
    expect(await chunksOf(own)).toEqual([]);
    expect(await objects()).toEqual(before);
    expect(await rowsOf(own.mailbox, "SELECT key FROM blob_to_erase")).toEqual([]);
  });
  expect(await storage(own)).toBe(storageBefore);
}

describe("an upload", () => {
  it("is answered with its digest and its expiry, and comes back byte for byte", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const { status, body } = await upload(bytes, {
      headers: { "Content-Type": "application/pdf", ...announced(50_000) },
      query: "filename=Quarterly%20report.pdf",
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        filename: "Quarterly report.pdf",
        content_type: "application/pdf",
        size_bytes: 50_000,
        sha256: sha256(bytes),
        expires_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 24 * HOUR_MS)).toBeLessThan(60_000);
    const back = await download(body.id);
    expect(back.status).toBe(200);
    expect(back.headers.get("Content-Type")).toBe("application/pdf");
    expect(back.headers.get("Content-Length")).toBe("50000");
    expect(back.headers.get("Content-Disposition")).toContain('filename="Quarterly report.pdf"');
    expect(back.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
    expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await download(body.id, box, { Range: "bytes=100-199" });
    expect([part.status, part.headers.get("Content-Range")]).toEqual([206, "bytes 100-199/50000"]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
    expect((await api(`/v1/attachment?id=${body.id.toUpperCase()}`, { key: box.api_key })).status).toBe(200);
  });

  it.each([
    ["announced, up to a row's size", MAX_ROW_BYTES, true, true],
    ["announced, larger", MAX_ROW_BYTES + 1, true, false],
    ["not announced, however small", 10, false, false],
    ["not announced, of several parts", 12_000_000, false, false],
  ])("lies where it belongs: %s", async (_, length, isAnnounced, isRow) => {
    const own = await createMailbox();
    const { status, body } = await upload(
      streamed(length),
      isAnnounced ? { headers: announced(length) } : {},
      own,
    );
    expect([status, body.size_bytes]).toEqual([201, length]);
    const [row] = await uploadRows(own);
    expect(row?.key.startsWith("rows:")).toBe(isRow);
    expect((await env.BLOBS.head(row?.key ?? ""))?.size).toBe(isRow ? undefined : length);
    const back = Buffer.from(await (await download(body.id, own)).arrayBuffer());
    expect([back.byteLength, sha256(back)]).toEqual([length, body.sha256]);
    expect(await storage(own)).toBe(length);
  });

  it("is stored in the mailbox if the deployment has no bucket", async () => {
    const own = await createMailbox();
    const vars = { BLOBS: undefined };
    const { body } = await upload(streamed(2_500_000), { vars }, own);
    expect((await chunksOf(own)).length).toBe(3);
    const back = await api(`/v1/attachments/${body.id}`, { key: own.api_key, vars });
    expect(sha256(new Uint8Array(await back.arrayBuffer()))).toBe(body.sha256);
  });

  it.each([
    ["without a body", undefined, {}],
    ["announced as empty", "", announced(0)],
    ["an empty stream", streamed(0), {}],
  ])("may be an empty file: %s", async (_, body, headers) => {
    const empty = await upload(body, { headers });
    expect([empty.status, empty.body.size_bytes, empty.body.sha256]).toEqual([201, 0, sha256("")]);
    const back = await download(empty.body.id);
    expect([back.status, await back.text()]).toEqual([200, ""]);
  });

  it("is also open to the operator, who names the mailbox", async () => {
    const { status, body } = await upload("x", {
      key: OPERATOR,
      query: `filename=a&mailbox=${box.mailbox}`,
    });
    expect(status).toBe(201);
    expect((await download(body.id)).status).toBe(200);
    expect((await refusal("x", { key: OPERATOR, query: "filename=a" })).status).toBe(400);
  });

  it("survives an eviction of the mailbox", async () => {
    const own = await createMailbox();
    const { body } = await upload("kept", {}, own);
    await evict(own.mailbox);
    expect(await (await download(body.id, own)).text()).toBe("kept");
    expect(await storage(own)).toBe(4);
  });

  it("does not mix with another one at the same time", async () => {
    const sizes = [3, 700_000, 6_000_000, 1_200_000, 5_300_000];
    const uploads = await Promise.all(
      sizes.map((size, index) => upload(streamed(size), index % 2 ? { headers: announced(size) } : {})),
    );
    for (const [index, { body }] of uploads.entries()) {
      const back = new Uint8Array(await (await download(body.id)).arrayBuffer());
      expect([back.byteLength, sha256(back)]).toEqual([sizes[index], body.sha256]);
    }
  });
});

describe("the name and type of an uploaded file", () => {
  it.each([
    ['attachment; filename="a b.txt"', "a b.txt"],
    ["attachment; filename=plain.txt; filename*=UTF-8''na%C3%AFve%20%E4%B8%AD.txt", "naïve 中.txt"],
    ['attachment; filename="café.txt"', "café.txt"],
    ['attachment; filename="../../etc/passwd"', "passwd"],
    ["attachment; filename*=UTF-8''%E2%80%AEcod.exe", "cod.exe"],
    ["attachment; filename=CON.txt", "_CON.txt"],
  ])("may stand in Content-Disposition: %s", async (disposition, filename) => {
    const { status, body } = await upload("x", {
      headers: { "Content-Disposition": disposition },
      query: "",
    });
    expect([status, body.filename]).toEqual([201, filename]);
    const header = (await download(body.id)).headers.get("Content-Disposition") ?? "";
    expect(decodeURIComponent(header.split("UTF-8''")[1] ?? "")).toBe(filename);
  });

  it.each([
    ["nothing", "", {}],
    ["an empty name", "filename=", {}],
    ["a folder", "filename=..", {}],
    ["a path that ends in a folder", "filename=a/b/", {}],
    ["CR and LF", "filename=a%0D%0AX-Injected:%20y", {}],
    ["NUL", "filename=a%00.txt", {}],
    ["an escape sequence", "filename=%1B[31m", {}],
    ["bytes that are no UTF-8", "filename=caf%E9.txt", {}],
    ["10,000 characters", `filename=${"n".repeat(10_000)}`, {}],
    ["only what turns text", "filename=%E2%80%AE", {}],
    ["a control in filename*", "", { "Content-Disposition": "attachment; filename*=UTF-8''a%0Ab" }],
    ["a folder in Content-Disposition", "", { "Content-Disposition": 'attachment; filename=".."' }],
    ["two names", "filename=a.txt", { "Content-Disposition": "attachment; filename=a.txt" }],
    ["a disposition without a name", "", { "Content-Disposition": "attachment" }],
  ])("is refused by its field: %s", async (_, query, headers) => {
    const { status, body } = await refusal("x", { query, headers: headers as Record<string, string> });
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, "invalid", "filename"]);
    expect(body.error).toMatch(/^filename: /);
    expect(JSON.stringify(body).length).toBeLessThan(500);
  });

  it.each([
    "filename=a.txt",
    'attachment; filename="a.txt',
    "attachment; filename=a.txt; filename=b.txt",
    "attachment; filename*=latin1''x",
    `attachment; filename="${"n".repeat(10_000)}"`,
    `attachment${"; x=y".repeat(2_000)}; filename=a.txt`,
  ])("is refused with a broken Content-Disposition", async (disposition) => {
    const { status, body } = await refusal("x", {
      headers: { "Content-Disposition": disposition },
      query: "",
    });
    expect([status, body.details?.[0]?.path]).toEqual([400, "Content-Disposition"]);
  });

  it("is refused with two names in the query", async () => {
    expect((await refusal("x", { query: "filename=a&filename=b" })).body.error).toMatch(/^filename: .*once/);
  });

  it.each([
    [undefined, "application/octet-stream"],
    ["", "application/octet-stream"],
    ["application/x-www-form-urlencoded", "application/octet-stream"],
    ["Text/HTML; charset=utf-8", "text/html; charset=utf-8"],
    ["message/rfc822", "message/rfc822"],
  ])("is a Content-Type of %s, told as %s", async (type, told) => {
    const bytes = new TextEncoder().encode("x");
    const { status, body } = await upload(bytes, {
      headers: type === undefined ? {} : { "Content-Type": type },
    });
    expect([status, body.content_type]).toEqual([201, told]);
    expect((await download(body.id)).headers.get("Content-Type")).toBe(told);
  });

  it.each(["pdf", "text/", "a/b/c", "text/plain; x", `text/${"x".repeat(300)}`])(
    "is refused with a Content-Type that is none: %s",
    async (type) => {
      const { status, body } = await refusal("x", { headers: { "Content-Type": type } });
      expect([status, body.details?.[0]?.path]).toEqual([400, "Content-Type"]);
    },
  );

  it.each([
    [{ "Content-Type": "multipart/form-data; boundary=x" }],
    [{ "Content-Encoding": "gzip" }],
    [{ "Content-Encoding": "identity, br" }],
  ])("is 415 where the body is not the file itself: %o", async (headers) => {
    const { status, body } = await refusal("x", { headers });
    expect([status, body.code]).toEqual([415, "unsupported_media_type"]);
  });
});

describe("the limit of 100 MB", () => {
  it.each([
    ["announced", announced(MAX_BYTES)],
    ["not announced", {}],
  ])(
    "takes the last byte: %s",
    async (_, headers) => {
      const own = await createMailbox();
      const { status, body } = await upload(streamed(MAX_BYTES), { headers }, own);
      expect([status, body.size_bytes]).toEqual([201, MAX_BYTES]);
      expect(await storage(own)).toBe(MAX_BYTES);
    },
    120_000,
  );

  it("refuses one byte more by its Content-Length, before the body is read", async () => {
    const own = await createMailbox();
    let pulled = 0;
    const body = new ReadableStream({ type: "bytes", pull: () => void (pulled += 1) }, { highWaterMark: 0 });
    const refused = await refusal(body, { headers: announced(MAX_BYTES + 1) }, own);
    expect([refused.status, refused.body]).toEqual([413, problemBody(TOO_LARGE_ATTACHMENT)]);
    expect(pulled).toBe(0);
    expect(await uploadRows(own)).toEqual([]);
  });

  it("refuses one byte more by counting, and stores nothing", async () => {
    const own = await createMailbox();
    const before = await objects();
    const refused = await refusal(streamed(MAX_BYTES + 1), {}, own);
    expect([refused.status, refused.body.error]).toEqual([413, "Attachment too large (max 100 MB)"]);
    await expectNothing(own, before);
  }, 120_000);

  it("is checked only after the caller is authorized", async () => {
    const own = await bootstrap();
    const headers = announced(MAX_BYTES + 1);
    expect((await refusal("x", { headers }, own)).status).toBe(403);
    expect((await refusal("x", { headers, key: `mk_${"0".repeat(64)}` })).status).toBe(401);
  });
});

describe("an incomplete body", () => {
  it.each([
    ["small, announced", 1_000, announced(2_000)],
    ["large, announced", 3_000_000, announced(9_000_000)],
    ["not announced", 3_000_000, {}],
    ["not announced, after several parts", 13_000_000, {}],
  ])("leaves nothing behind: %s", async (_, breaksAt, headers) => {
    const own = await createMailbox();
    const before = await objects();
    const broken = await refusal(streamed(20_000_000, breaksAt), { headers }, own);
    expect([broken.status, broken.body.details?.[0]?.path]).toEqual([400, "body"]);
    await expectNothing(own, before);
  });

  it.each([
    [10, 11],
    [11, 10],
    [600_000, 600_001],
    [600_001, 600_000],
  ])("or not as announced leaves nothing either: %i bytes for %i", async (length, said) => {
    const own = await createMailbox();
    const before = await objects();
    const broken = await refusal(streamed(length), { headers: announced(said) }, own);
    expect([broken.status, broken.body.details?.[0]?.path]).toEqual([400, "body"]);
    await expectNothing(own, before);
  });
});

describe("a store that fails", () => {
  it("is a 503 with the reason, nothing is left, and the next try works", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const own = await createMailbox();
    const before = await objects();
    const down = () => Promise.reject(new Error("The bucket is down"));
    const vars = { BLOBS: { put: down, createMultipartUpload: down, delete: down } };
    for (const headers of [announced(6_000_000), {}]) {
      const {
        status,
        body,
        headers: told,
      } = await upload<{ error: string }>(streamed(6_000_000), { vars, headers }, own);
      expect([status, body.error]).toEqual([503, "The file could not be stored; try again"]);
      expect(told.get("Retry-After")).toBe("30");
      await expectNothing(own, before);
    }
    expect((await upload(streamed(6_000_000), {}, own)).status).toBe(201);
  });
});

describe("the room of a mailbox", () => {
  /** Gives the running mailbox another quota, in a new environment, because the configuration is read once for each. */
  const setQuota = (own: TestMailbox, bytes: number) =>
    setVariables(own.mailbox, { MAILBOX_QUOTA_BYTES: String(bytes) });

  it("is reserved for an upload with a Content-Length, to the byte", async () => {
    const own = await createMailbox();
    await setQuota(own, 10_000);
    expect((await upload(streamed(10_000), { headers: announced(10_000) }, own)).status).toBe(201);
    const refused = await refusal("x", { headers: announced(1) }, own);
    expect([refused.status, refused.body.error]).toEqual([507, "Mailbox is full (max 10000 bytes)"]);
    expect((await refusal("x", {}, own)).status).toBe(507);
    expect((await deliver(own.mailbox, plainMessage())).status).toBe(503);
  });

  it("limits an upload of unknown length", async () => {
    const own = await createMailbox();
    const before = await objects();
    await setQuota(own, 6_000_000);
    const refused = await refusal(streamed(6_000_001), {}, own);
    expect([refused.status, refused.body.error]).toEqual([507, "Mailbox is full (max 6000000 bytes)"]);
    await expectNothing(own, before);
    expect((await upload(streamed(6_000_000), {}, own)).status).toBe(201);
  });

  it("is reserved while an upload comes in, and the unused part is free afterwards", async () => {
    const own = await createMailbox();
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const coming = upload(readable, {}, own);
    await writer.write(new Uint8Array(500));
    expect(await storage(own)).toBe(MAX_BYTES);
    const [row] = await uploadRows(own);
    expect(row).toMatchObject({ size_bytes: MAX_BYTES, sha256: null });
    expect((await download(row?.id ?? "", own)).status).toBe(404);
    await writer.close();
    expect((await coming).status).toBe(201);
    expect(await storage(own)).toBe(500);
  });
});

describe("an upload that no message uses", () => {
  it.each([
    ["a row", 1_000],
    ["an object", 600_000],
  ])("is erased after 24 hours and not before: %s", async (_, length) => {
    const own = await createMailbox();
    await ask("/v1/inbox", { key: own.api_key });
    const before = await objects();
    const { body } = await upload(streamed(length), { headers: announced(length) }, own);
    expect(await alarmOf(own.mailbox)).toBe(Date.parse(body.expires_at));
    advance(24 * HOUR_MS - 60_000);
    await ringAlarm(own.mailbox);
    expect((await download(body.id, own)).status).toBe(200);
    advance(60_000);
    // It has expired by the clock, before its alarm.
    expect((await download(body.id, own)).status).toBe(404);
    expect((await objects()).length + (await chunksOf(own)).length).toBe(before.length + 1);
    await ringAlarm(own.mailbox);
    await expectNothing(own, before);
    expect(await alarmOf(own.mailbox)).toBeNull();
    expect((await download(body.id, own)).status).toBe(404);
  });

  it("is erased after an hour with its room if the router died during it", async () => {
    const own = await createMailbox();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const before = await objects();
    const gone = () => Promise.reject(new Error("The isolate is gone"));
    const MAILBOX = {
      getByName: (name: string) => {
        const stub = env.MAILBOX.getByName(name);
        return {
          name,
          beginUpload: (...given: Parameters<typeof stub.beginUpload>) => stub.beginUpload(...given),
          completeUpload: gone,
          abandonUpload: gone,
        };
      },
    };
    const died = await upload(streamed(700_000), { vars: { MAILBOX }, headers: announced(700_000) }, own);
    expect(died.status).toBe(500);
    expect((await objects()).length).toBe(before.length + 1);
    expect(await storage(own)).toBe(700_000);
    advance(HOUR_MS - 60_000);
    await ringAlarm(own.mailbox);
    expect((await objects()).length).toBe(before.length + 1);
    advance(60_000);
    await ringAlarm(own.mailbox);
    await expectNothing(own, before);
  });

  it("is erased with the mailbox, complete or not", async () => {
    const own = await createMailbox();
    const before = await objects();
    await upload("small", { headers: announced(5) }, own);
    await upload(streamed(600_000), { headers: announced(600_000) }, own);
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const coming = upload(readable, {}, own);
    await writer.write(new Uint8Array(5_000_000));
    const gone = await ask("/v1/mailbox", { key: own.api_key, method: "DELETE" });
    expect([gone.status, gone.body.ok]).toEqual([200, true]);
    await writer.write(new Uint8Array(5_000_000));
    await writer.close();
    expect((await coming).status).toBe(401);
    expect(await objects()).toEqual(before);
    // The bucket is called again when the last upload can no longer arrive.
    expect(await tablesOf(own.mailbox)).toEqual(["late_blob"]);
    advance(2 * HOUR_MS);
    await ringAlarm(own.mailbox);
    expect(await objects()).toEqual(before);
    expect(await tablesOf(own.mailbox)).toEqual([]);
  });

  it("does not belong to a new mailbox with the same address", async () => {
    const name = `anew-${Math.random().toString(36).slice(2, 8)}`;
    const first = await createMailbox("permanent", name);
    const before = await objects();
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const coming = upload(readable, { key: OPERATOR, query: `filename=a&mailbox=${first.mailbox}` });
    await writer.write(new Uint8Array(5_000));
    await ask("/v1/mailbox", { key: first.api_key, method: "DELETE" });
    const second = await createMailbox("permanent", name);
    await writer.close();
    expect((await coming).status).toBe(503);
    await expectNothing(second, before);
  });
});

describe("an upload whose key expires meanwhile", () => {
  it("is refused, and nothing is left", async () => {
    const own = await createMailbox();
    const made = await ask<{ id: string; api_key: string }>("/v1/keys", { key: own.api_key, method: "POST" });
    const before = await objects();
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const coming = refusal(readable, { key: made.body.api_key }, own);
    await writer.write(new Uint8Array(5_500_000));
    await ask(`/v1/keys/${made.body.id}`, { key: own.api_key, method: "DELETE" });
    await writer.close();
    expect((await coming).status).toBe(401);
    await expectNothing(own, before);
  });

  it("is complete if only the mailbox's object dies meanwhile", async () => {
    const own = await createMailbox();
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const coming = upload(readable, {}, own);
    await writer.write(new Uint8Array(5_500_000));
    await kill(own.mailbox);
    await writer.close();
    const { status, body } = await coming;
    expect([status, body.size_bytes]).toEqual([201, 5_500_000]);
    expect(await storage(own)).toBe(5_500_000);
  });
});

describe("an upload that takes too long", () => {
  it("is ended before its reservation, and nothing is left", async () => {
    const own = await createMailbox();
    const before = await objects();
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const coming = refusal(readable, {}, own);
    await writer.write(new Uint8Array(5_500_000));
    advance(55 * 60_000 + 1);
    await writer.write(new Uint8Array(10)).catch(() => undefined);
    const { status, body } = await coming;
    expect([status, body.error]).toEqual([503, "The upload took too long (max 55 minutes); try again"]);
    await ringAlarm(own.mailbox);
    await expectNothing(own, before);
  });
});
