import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { MAX_INLINE_JSON_BYTES } from "../../src/contract/sending.ts";
import { locatorOf } from "../../src/contract/key.ts";
import {
  api,
  ask,
  bootstrap,
  createMailbox,
  DOMAIN,
  kill,
  OPERATOR,
  resetClock,
  rowsOf,
  type Ask,
  type TestMailbox,
  setVariables,
} from "../harness.ts";

afterEach(resetClock);

const JSON_TYPE = { "Content-Type": "application/json" };
const INVENTED = `mk_${locatorOf(`nobody@${DOMAIN}`)}${"0".repeat(32)}`;

/** A body that never yields anything; `asked` says whether it was read. */
function endless() {
  const seen = { asked: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull() {
        seen.asked = true;
        return new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, seen };
}

/** Sends a request whose body never comes, with a Content-Length of 20 MB or without one. */
async function askUnread(path: string, request: Ask, length: string | null = "20000000") {
  const { stream, seen } = endless();
  const headers = {
    ...JSON_TYPE,
    ...request.headers,
    ...(length === null ? {} : { "Content-Length": length }),
  };
  const answer = await ask(path, { method: "POST", ...request, body: stream, headers });
  expect(seen.asked).toBe(false);
  return answer;
}

/** Gives the running mailbox other limits, in a new environment, because the configuration is read once for each. */
const setLimits = (box: TestMailbox, limits: Record<string, string>) => setVariables(box.mailbox, limits);

const inPieces = (text: string, size: number) => {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
};

/** Sends a body without a Content-Length. */
const stream = (box: TestMailbox, text: string, more: Ask = {}, path = "/v1/send") =>
  ask<{ error: string; id: string; details: { path: string; message: string }[] }>(path, {
    key: box.api_key,
    method: "POST",
    ...more,
    body: inPieces(text, 1_000),
    headers: { ...JSON_TYPE, ...more.headers },
  });

const uploadsOf = (box: TestMailbox) =>
  rowsOf<{ id: string; key: string; size_bytes: number }>(
    box.mailbox,
    "SELECT id, key, size_bytes FROM upload",
  );

describe("a large body, or one of unknown length, is not read before its caller is authorized", () => {
  let box: TestMailbox;
  beforeAll(async () => {
    box = await createMailbox();
  });

  const paths = ["/v1/send", "/v1/emails/an-id/reply", "/v1/emails/an-id/forward"];
  it.each(paths.flatMap((path) => ["20000000", null].map((length) => [path, length] as const)))(
    "a key that is nobody's is 401 at once: %s, Content-Length %s",
    async (path, length) => {
      expect((await askUnread(path, { key: INVENTED }, length)).status).toBe(401);
      expect((await askUnread(path, {}, length)).status).toBe(401);
      const wrong = `${box.api_key.slice(0, -2)}zz`;
      expect((await askUnread(path, { key: wrong }, length)).status).toBe(401);
    },
  );

  it.each([
    ["/v1/keys", "POST"],
    ["/v1/mailbox", "PATCH"],
    ["/v1/extract", "POST"],
    ["/v1/mailboxes", "POST"],
    ["/v1/attachments?filename=a", "POST"],
    ["/v1/inbound?to=a@mailkeep.test", "POST"],
    ["/v1/webhook/replay", "POST"],
  ])("nor on any other route: %s", async (path, method) => {
    expect((await askUnread(path, { key: INVENTED, method }, null)).status).toBe(401);
  });

  it("a scope that may not send is 403", async () => {
    const temporary = await bootstrap();
    const refused = await askUnread("/v1/send", { key: temporary.api_key });
    expect(refused).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });

  it("a key of another mailbox is 403", async () => {
    const refused = await askUnread(`/v1/send?mailbox=other@${DOMAIN}`, { key: box.api_key });
    expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
  });

  it("a paused mailbox is 403", async () => {
    const paused = await createMailbox();
    await api("/v1/mailbox/pause", { key: paused.api_key, method: "PATCH" });
    const refused = await askUnread("/v1/send", { key: paused.api_key });
    expect(refused).toMatchObject({ status: 403, body: { error: "Mailbox is paused" } });
  });

  it("a used-up daily limit is 429", async () => {
    const busy = await createMailbox();
    await setLimits(busy, { DAILY_SEND_LIMIT: "0" });
    const refused = await askUnread("/v1/send", { key: busy.api_key });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Retry-After")).toMatch(/^\d+$/);
  });

  it("a mailbox that is full is 507", async () => {
    const full = await createMailbox();
    await setLimits(full, { MAILBOX_QUOTA_BYTES: "0" });
    const refused = await askUnread("/v1/send", { key: full.api_key });
    expect(refused).toMatchObject({ status: 507, body: { code: "mailbox_full" } });
  });

  it("errors in header fields, query or configuration are answered at once", async () => {
    const key = box.api_key;
    expect((await askUnread("/v1/send", { key }, "25000001")).status).toBe(413);
    expect((await askUnread("/v1/send", { key, headers: { "Content-Type": "text/plain" } })).status).toBe(
      415,
    );
    expect((await askUnread("/v1/send?wait=soon", { key })).status).toBe(400);
    expect((await askUnread("/v1/send", { key, headers: { "Idempotency-Key": "ä ö" } })).status).toBe(400);
    expect((await askUnread("/v1/send", { key, vars: { OUTBOUND: "none" } })).status).toBe(501);
    expect((await askUnread("/v1/keys", { key }, "262145")).status).toBe(413);
  });

  it("the operator's key is checked first, too", async () => {
    expect((await askUnread("/v1/mailboxes", { key: OPERATOR }, "262145")).status).toBe(413);
    expect((await askUnread("/v1/send", { key: OPERATOR })).status).toBe(400);
  });
});

describe("a body of a route without a key", () => {
  it.each(["/v1/bootstrap", "/v1/claim/start", "/v1/claim/confirm"])(
    "is read up to 16,384 bytes and not one more: %s",
    async (path) => {
      expect((await askUnread(path, {}, "16385")).status).toBe(413);
      const cut = await ask(path, {
        method: "POST",
        body: inPieces(" ".repeat(20_000), 500),
        headers: JSON_TYPE,
      });
      expect(cut.status).toBe(413);
    },
  );

  it("is read up to 4,096 bytes when the operator signs in", async () => {
    const headers = { "Sec-Fetch-Site": "same-origin" };
    expect((await askUnread("/operator/session", { headers }, "4097")).status).toBe(413);
  });
});

const FILE = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 7) % 251));

/** A message with a file of 700 KB; `file` comes before all else. */
const withFile = (box: TestMailbox, more: object = {}) =>
  JSON.stringify({
    attachments: [{ content: FILE.toString("base64"), filename: "a.bin", content_type: "application/x-a" }],
    to: box.mailbox,
    subject: "A file",
    text: "Here it is.",
    ...more,
  });

/** A request with a Content-Length whose file has arrived except for its end; `finish` sends the end. */
async function begun(box: TestMailbox) {
  const bytes = new TextEncoder().encode(withFile(box));
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const coming = ask<{ error: string }>("/v1/send", {
    key: box.api_key,
    method: "POST",
    body: readable,
    headers: { ...JSON_TYPE, "Content-Length": String(bytes.byteLength) },
  });
  await writer.write(bytes.subarray(0, 900_000));
  const finish = async () => {
    await writer.write(bytes.subarray(900_000));
    await writer.close();
  };
  return { coming, finish, bytes: bytes.byteLength };
}

describe("files in a large body", () => {
  it("are sent byte for byte, under their names, wherever they are in the body", async () => {
    const box = await createMailbox();
    const sent = await stream(box, withFile(box));
    expect(sent.status).toBe(200);
    const { body } = await ask<{ attachments: { id: string; filename: string; size_bytes: number }[] }>(
      `/v1/emails/${sent.body.id}`,
      { key: box.api_key },
    );
    expect(body.attachments).toMatchObject([{ filename: "a.bin", size_bytes: FILE.byteLength }]);
    const file = await api(`/v1/attachments/${body.attachments[0]?.id}`, { key: box.api_key });
    expect(file.headers.get("Content-Type")).toBe("application/x-a");
    expect(file.headers.get("Content-Disposition")).toContain("a.bin");
    expect(Buffer.from(await file.arrayBuffer()).equals(FILE)).toBe(true);
  });

  it("are sent with a Content-Length, and small and empty ones beside large ones", async () => {
    const box = await createMailbox();
    const attachments = [
      { filename: "one", content: "" },
      { filename: "two", content: FILE.toString("base64").replaceAll(/(.{76})/g, "$1\r\n") },
      { filename: "three", content: Buffer.from("abc").toString("base64") },
    ];
    const sent = await ask<{ id: string }>("/v1/send", {
      key: box.api_key,
      json: { to: box.mailbox, subject: "x", text: "y", attachments },
    });
    expect(sent.status).toBe(200);
    const { body } = await ask<{ attachments: { size_bytes: number }[] }>(`/v1/emails/${sent.body.id}`, {
      key: box.api_key,
    });
    expect(body.attachments.map(({ size_bytes }) => size_bytes)).toEqual([0, FILE.byteLength, 3]);
  });

  it("of a refused message are erased, and their room is free", async () => {
    const box = await createMailbox();
    const refusals: [string, number][] = [
      [withFile(box, { to: undefined }), 400],
      [withFile(box, { subject: "" }), 400],
      [withFile(box, { text: 5 }), 400],
      [withFile(box, { from: "somebody@else.example" }), 403],
      [withFile(box, { mailbox: `other@${DOMAIN}` }), 403],
      [withFile(box).slice(0, -1), 400],
      [`${withFile(box)} x`, 400],
      [withFile(box).replace('"to"', '"attachments":[],"to"').replace('"Here it is."', '""'), 400],
    ];
    for (const [body, status] of refusals) {
      expect([(await stream(box, body)).status, body.length]).toEqual([status, body.length]);
    }
    expect(await uploadsOf(box)).toEqual([]);
    const account = await rowsOf<{ storage_bytes: number }>(box.mailbox, "SELECT storage_bytes FROM account");
    expect(account).toEqual([{ storage_bytes: 0 }]);
  });

  it("are sent even if the mailbox's object dies while they come in", async () => {
    const box = await createMailbox();
    const { coming, finish } = await begun(box);
    await kill(box.mailbox);
    await finish();
    const sent = await coming;
    expect([sent.status, (await uploadsOf(box)).length]).toEqual([200, 1]);
  });

  it("are sent once, even if unused uploads cannot be erased at that moment", async () => {
    const box = await createMailbox();
    const told = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const discardUploads = () => Promise.reject(new Error("The object is overloaded"));
    const MAILBOX = {
      getByName: (name: string) =>
        new Proxy(env.MAILBOX.getByName(name), {
          get: (stub, member) =>
            member === "discardUploads" ? discardUploads : (Reflect.get(stub, member) as unknown),
        }),
    };
    const sent = await stream(box, withFile(box), { vars: { MAILBOX } });
    expect([sent.status, told.mock.calls.length]).toEqual([200, 1]);
    told.mockRestore();
  });

  it("reserve no more room than the body can fill", async () => {
    const box = await createMailbox();
    const { coming, finish, bytes } = await begun(box);
    const [upload] = await uploadsOf(box);
    expect(upload?.size_bytes).toBeLessThanOrEqual(bytes);
    await finish();
    expect((await coming).status).toBe(200);
  });

  it("are erased if a later member of the same name replaces them", async () => {
    const box = await createMailbox();
    const sent = await stream(box, withFile(box).replace('"to"', '"attachments":[],"to"'));
    expect(sent.status).toBe(200);
    expect(await uploadsOf(box)).toEqual([]);
  });

  it("that are not base64 are named in the error", async () => {
    const box = await createMailbox();
    const attachments = [
      { filename: "a", content: "QUJD" },
      { filename: "b", content: "QU!D" },
    ];
    const refused = await stream(
      box,
      JSON.stringify({ attachments, to: box.mailbox, subject: "x", text: "y" }),
    );
    expect(refused).toMatchObject({ status: 400, body: { error: "attachments.1.content: must be base64" } });
    expect(await uploadsOf(box)).toEqual([]);
  });

  it("are at most 100", async () => {
    const box = await createMailbox();
    const attachments = Array.from({ length: 101 }, () => ({ filename: "a", content: "QUJD" }));
    const refused = await stream(
      box,
      JSON.stringify({ attachments, to: box.mailbox, subject: "x", text: "y" }),
    );
    expect(refused).toMatchObject({
      status: 400,
      body: { error: "attachments: must hold at most 100 files" },
    });
    expect(await uploadsOf(box)).toEqual([]);
  });

  it("are checked as in a small body: a name with content, and content or an id", async () => {
    const box = await createMailbox();
    for (const [file, error] of [
      [{ content: "QUJD" }, "attachments.0.filename: is required with content"],
      [
        { content: "QUJD", filename: "a", attachment_id: "b" },
        "attachments.0: must have either content or attachment_id",
      ],
      [{ content: 5, filename: "a" }, "attachments.0.content: must be a string"],
    ] as const) {
      const body = { attachments: [file], to: box.mailbox, subject: "x", text: "y" };
      expect((await stream(box, JSON.stringify(body))).body.error).toBe(error);
      expect((await ask("/v1/send", { key: box.api_key, json: body })).body.error).toBe(error);
    }
  });

  it("are also sent with a reply and a forward", async () => {
    const box = await createMailbox();
    const first = await ask<{ id: string }>("/v1/send", {
      key: box.api_key,
      json: { to: box.mailbox, subject: "x", text: "y" },
    });
    const { to, subject: _, ...answer } = JSON.parse(withFile(box)) as Record<string, unknown>;
    const replied = await stream(box, JSON.stringify(answer), {}, `/v1/emails/${first.body.id}/reply`);
    const forwarded = await stream(
      box,
      JSON.stringify({ ...answer, to }),
      {},
      `/v1/emails/${first.body.id}/forward`,
    );
    expect([replied.status, forwarded.status]).toEqual([200, 200]);
  });
});

describe("a large message under an Idempotency-Key", () => {
  const headers = { "Idempotency-Key": "the-key" };

  it("is sent once, and answered again even if the daily limit is reached and the mailbox is full", async () => {
    const box = await createMailbox();
    const first = await stream(box, withFile(box), { headers });
    const again = await stream(box, withFile(box), { headers });
    expect(again.body.id).toBe(first.body.id);
    await setLimits(box, { DAILY_SEND_LIMIT: "1", MAILBOX_QUOTA_BYTES: "0" });
    expect((await stream(box, withFile(box), { headers })).body.id).toBe(first.body.id);
    expect((await stream(box, withFile(box))).status).toBe(429);
    expect(await uploadsOf(box)).toHaveLength(1);
  });

  it("is another request with another file", async () => {
    const box = await createMailbox();
    await stream(box, withFile(box), { headers });
    const other = withFile(box).replace('"content":"AA', '"content":"AB');
    expect((await stream(box, other, { headers })).status).toBe(422);
    expect(await uploadsOf(box)).toHaveLength(1);
  });
});

describe("a hostile body", () => {
  it.each([
    ["nested too deep", `{"to":${"[".repeat(200_000)}`, "Request body must be nested at most 32 deep"],
    [
      "with a million members",
      `{${Array.from({ length: 300_000 }, (_, i) => `"m${i}":1`).join(",")}}`,
      "Request body must have at most 2000 members or items in one place",
    ],
    [
      "with lists in lists",
      `[${`[${"[],".repeat(50)}[]],`.repeat(1_000)}[]]`,
      "Request body must have at most 10000 members and items",
    ],
    ["of one endless text", `{"text":"${"\\u0061".repeat(1_700_000)}"}`, "Body too large"],
    ["of blanks", " ".repeat(11_000_000), "Body too large"],
  ])("is bounded: %s", async (_, text, error) => {
    const box = await createMailbox();
    const refused = await stream(box, "", { body: undefined });
    expect(refused.status).toBe(400);
    const large = await ask("/v1/send", {
      key: box.api_key,
      method: "POST",
      body: text,
      headers: JSON_TYPE,
    });
    expect([large.status, large.body.error]).toEqual([400, error]);
  });

  it("of unknown length is read up to the limit", async () => {
    const box = await createMailbox();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === 0) controller.enqueue(new TextEncoder().encode('{"attachments":[{"content":"'));
        controller.enqueue(new Uint8Array(65_536).fill(0x41));
        sent += 65_536;
      },
    });
    const refused = await ask("/v1/send", { key: box.api_key, method: "POST", body, headers: JSON_TYPE });
    expect(refused.status).toBe(413);
    expect(sent).toBeLessThan(MAX_INLINE_JSON_BYTES + 1_000_000);
    expect(await uploadsOf(box)).toEqual([]);
  });
});
