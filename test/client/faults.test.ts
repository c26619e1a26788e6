import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Mailkeep, MailkeepError } from "../../src/client/index.ts";
import { FaultyServer, json, type Fault } from "./faulty-server.ts";

let server: FaultyServer;
let mail: Mailkeep;

beforeAll(async () => {
  server = await FaultyServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  // Pauses between repeats are random; these are the shortest.
  vi.spyOn(Math, "random").mockReturnValue(0);
  mail = new Mailkeep({ url: server.url, key: "mk_1" });
});

const ME = { mailbox: "ann@mail.example", scope: "mailbox" };
const UNAVAILABLE = { error: "Busy", code: "unavailable", fix: "Repeat the call.", retryable: true };
const SENT = { id: "1", status: "queued" };
const MESSAGE = { to: "bob@example.com", subject: "Hello", text: "Hello Bob." };

const failures: Record<string, Fault> = {
  "a lost connection": { kind: "drop" },
  "an answer that breaks off": { kind: "cut", body: '{"mailbox":"ann' },
  "429": json({ error: "Too many requests", code: "rate_limited", retryable: true }, 429, {
    "Retry-After": "0",
  }),
  "503": json(UNAVAILABLE, 503, { "Retry-After": "0" }),
  "502 of a proxy": {
    kind: "answer",
    status: 502,
    headers: { "Content-Type": "text/html" },
    body: "<h1>Bad</h1>",
  },
};

describe.each(Object.entries(failures))("after %s", (_, failure) => {
  it("repeats a GET until it is answered", async () => {
    server.orders(failure, failure, json(ME));
    expect(await mail.me()).toEqual(ME);
    expect(server.seen).toHaveLength(3);
  });

  it("repeats a send under the same Idempotency-Key, so that it happens once", async () => {
    server.orders(failure, json(SENT));
    expect(await mail.send(MESSAGE)).toEqual(SENT);
    const keys = server.seen.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(server.seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([MESSAGE, MESSAGE]);
  });

  it("does not repeat a call that would happen twice", async () => {
    server.orders(failure, json({ deleted: true }));
    await expect(mail.emails.delete("1")).rejects.toThrow(MailkeepError);
    await expect(mail.keys.create({})).resolves.toEqual({ deleted: true });
    expect(server.seen.map(({ method }) => method)).toEqual(["DELETE", "POST"]);
  });

  it("gives up after as many repeats as the caller wants", async () => {
    server.orders(failure);
    await expect(mail.me({ retries: 2 })).rejects.toMatchObject({ retryable: true });
    expect(server.seen).toHaveLength(3);
  });
});

it("gives each send a key of its own, or the caller's", async () => {
  server.orders(json(SENT));
  await mail.send(MESSAGE);
  await mail.emails.reply("1", { text: "Thanks." });
  await mail.emails.forward("1", { to: "bob@example.com" });
  await mail.send(MESSAGE, { idempotencyKey: "order-17", wait: 5 });
  const keys = server.seen.map(({ headers }) => String(headers["idempotency-key"]));
  expect(new Set(keys).size).toBe(4);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[3]).toBe("order-17");
  expect(server.seen[3]?.path).toBe("/v1/send?wait=5");
});

it("does not ask again for a code that is handed out once", async () => {
  server.orders({ kind: "drop" });
  await expect(mail.codes.get({ consume: true })).rejects.toMatchObject({ code: "unreachable" });
  await expect(mail.codes.wait({ consume: true })).rejects.toMatchObject({ code: "unreachable" });
  expect(server.seen).toHaveLength(2);
});

it("does not repeat what the service refuses for good", async () => {
  server.orders(json({ error: "Email not found", code: "not_found", retryable: false }, 404));
  await expect(mail.emails.get("1")).rejects.toMatchObject({ status: 404, code: "not_found" });
  expect(server.seen).toHaveLength(1);
});

it("does not wait for the service beyond the deadline", async () => {
  server.orders(json(UNAVAILABLE, 503, { "Retry-After": "3600" }));
  await expect(mail.me({ timeoutMs: 60_000 })).rejects.toMatchObject({
    status: 503,
    code: "unavailable",
    retryAfterMs: 3_600_000,
    fix: "Repeat the call.",
  });
  expect(server.seen).toHaveLength(1);
});

it("ends at the deadline when no answer comes", async () => {
  server.orders({ kind: "silence" });
  await expect(mail.me({ timeoutMs: 50 })).rejects.toMatchObject({
    status: 0,
    code: "timeout",
    retryable: true,
  });
});

it("ends with the reason of the caller's signal, also between two tries", async () => {
  const reason = new Error("No longer needed");
  server.orders({ kind: "silence" });
  const asked = mail.me({ signal: abortedIn(20, reason) });
  await expect(asked).rejects.toBe(reason);
  server.orders(json(UNAVAILABLE, 503, { "Retry-After": "30" }));
  await expect(mail.me({ signal: abortedIn(50, reason) })).rejects.toBe(reason);
  server.orders(json(ME));
  await expect(mail.me({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(server.seen).toEqual([]);
});

it("sends nothing after a redirect, and says where it leads", async () => {
  server.orders({
    kind: "answer",
    status: 307,
    headers: { Location: "https://other.example/v1/me" },
    body: "",
  });
  await expect(mail.me()).rejects.toMatchObject({
    code: "bad_answer",
    message: "The service answered with a redirect to https://other.example/v1/me",
  });
  expect(server.seen).toHaveLength(1);
});

it("sends no file after a redirect either, nor its key", async () => {
  const other = await FaultyServer.start();
  try {
    const headers = { Location: `${other.url}/v1/attachments` };
    server.orders({ kind: "answer", status: 307, headers, body: "" });
    other.orders(json({ id: "1" }, 201));
    const text = "Hello.";
    for (const file of [text, Buffer.from(text), new Blob([text]), new Blob([text]).stream()]) {
      const sent = mail.attachments.upload(file, { filename: "a.txt" });
      await expect(sent).rejects.toMatchObject({
        code: "bad_answer",
        retryable: false,
        message: expect.stringContaining("answered with a redirect"),
        fix: expect.stringContaining("`url`"),
      });
    }
    expect([server.seen.length, other.seen.length]).toEqual([4, 0]);
  } finally {
    await other.stop();
  }
});

it("says that something else answers at its address", async () => {
  server.orders({
    kind: "answer",
    status: 200,
    headers: { "Content-Type": "text/html" },
    body: "<h1>Hello</h1>",
  });
  await expect(mail.me()).rejects.toMatchObject({ code: "bad_answer", status: 200 });
});

it("names the two refusals that have no code of their own", async () => {
  server.orders(
    json({ error: "Mailbox is paused" }, 403, { "Mailkeep-Fix": "Call PATCH /v1/mailbox/resume" }),
    json({ error: "forbidden", message: "Key not authorized for this mailbox" }, 403),
  );
  await expect(mail.me()).rejects.toMatchObject({ code: "paused", fix: "Call PATCH /v1/mailbox/resume" });
  await expect(mail.me()).rejects.toMatchObject({
    code: "wrong_mailbox",
    message: "Key not authorized for this mailbox",
  });
});

it("reads a listing page by page, as far as it is iterated", async () => {
  const pages = [
    { emails: [{ id: "1" }, { id: "2" }], next_cursor: "a&b" },
    { emails: [{ id: "3" }], next_cursor: null },
  ];
  server.answers(({ path }) => json(pages[path.includes("cursor=a%26b") ? 1 : 0]));
  const ids: string[] = [];
  for await (const { id } of mail.inbox.list({ limit: 2 })) ids.push(id);
  expect(ids).toEqual(["1", "2", "3"]);
  expect(server.seen.map(({ path }) => path)).toEqual([
    "/v1/inbox?limit=2",
    "/v1/inbox?limit=2&cursor=a%26b",
  ]);
  server.seen.length = 0;
  for await (const { id } of mail.inbox.list()) if (id === "2") break;
  expect(server.seen).toHaveLength(1);
  const sizes: number[] = [];
  for await (const { emails } of mail.inbox.list().pages()) sizes.push(emails.length);
  expect(sizes).toEqual([2, 1]);
  expect((await mail.inbox.list()).next_cursor).toBe("a&b");
});

it("does not follow a listing that leads to itself", async () => {
  server.orders(json({ emails: [], next_cursor: "a" }));
  const all = (async () => {
    for await (const page of mail.inbox.list().pages()) expect(page.emails).toEqual([]);
  })();
  await expect(all).rejects.toMatchObject({ code: "bad_answer" });
  expect(server.seen).toHaveLength(2);
});

it("writes times, lists, flags and mailboxes into the query", async () => {
  server.orders(json({ emails: [], next_cursor: null }));
  const operator = new Mailkeep({ url: server.url, key: "operator", mailbox: "ann@mail.example" });
  const since = new Date("2026-11-21T08:30:00Z");
  await operator.inbox.list({ since, has_attachment: false, from: "", subject: "a b" });
  await operator.changes({ types: ["message.received", "message.sent"] }, { mailbox: "bob@mail.example" });
  await operator.inbound("x", { to: ["a@mail.example", "b@mail.example"] });
  expect(server.seen.map(({ path }) => path)).toEqual([
    "/v1/inbox?since=2026-11-21T08%3A30%3A00.000Z&has_attachment=false&subject=a+b&mailbox=ann%40mail.example",
    "/v1/changes?types=message.received%2Cmessage.sent&mailbox=bob%40mail.example",
    "/v1/inbound?to=a%40mail.example&to=b%40mail.example",
  ]);
});

it("takes address and key from MAILKEEP_URL and MAILKEEP_KEY", async () => {
  server.orders(json(ME));
  vi.stubEnv("MAILKEEP_URL", `${server.url}/`);
  vi.stubEnv("MAILKEEP_KEY", "mk_2");
  await new Mailkeep().me();
  expect(server.seen[0]).toMatchObject({ path: "/v1/me", headers: { authorization: "Bearer mk_2" } });
  vi.stubEnv("MAILKEEP_URL", "");
  expect(() => new Mailkeep()).toThrow("MAILKEEP_URL");
  expect(() => new Mailkeep({ url: "mail.example" })).toThrow("url: must be an http address");
  expect(() => new Mailkeep({ url: server.url, key: "mk_1 2" })).toThrow("key: must be visible ASCII");
  expect(new Mailkeep({ url: server.url, key: "mk_1\n" }).key).toBe("mk_1");
});

it("gives bytes as they come, and an error where they break off", async () => {
  server.orders({ kind: "answer", status: 200, body: "a file" }, { kind: "cut", body: "a fi" });
  expect(await (await mail.attachments.download("1")).text()).toBe("a file");
  const cut = await mail.attachments.download("1");
  await expect(cut.text()).rejects.toMatchObject({ code: "unreachable" });
});

function abortedIn(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}
