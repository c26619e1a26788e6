import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { problemBody, notFound } from "../../src/contract/problem.ts";
import { directoryShard } from "../../src/contract/directory.ts";
import {
  actorOf,
  advance,
  api,
  ask,
  bootstrap,
  clientAddress,
  createMailbox,
  deliver,
  evict,
  OPERATOR,
  plainMessage,
  resetClock,
  setClock,
} from "../harness.ts";

interface NewKey {
  id: string;
  api_key: string;
}
interface KeyList {
  mailbox: string;
  keys: { id: string; last_used_at: string | null }[];
}

afterEach(resetClock);

const newKey = (key: string, json?: unknown) =>
  ask<NewKey>("/v1/keys", json === undefined ? { key, method: "POST" } : { key, json });
const revoke = (key: string, id: string) => ask(`/v1/keys/${id}`, { key, method: "DELETE" });

/** Every value of every table of an actor, and its key-value store, as one text. */
async function everythingStored(stub: DurableObjectStub): Promise<string> {
  return runInDurableObject(stub, async (_, state) => {
    const tables = state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_cf\\_%' ESCAPE '\\'",
      )
      .toArray();
    const texts = tables.flatMap(({ name }) =>
      state.storage.sql
        .exec(`SELECT * FROM "${name}"`)
        .toArray()
        .flatMap((row) => Object.values(row))
        .map((value) =>
          value instanceof ArrayBuffer ? Buffer.from(value).toString("latin1") : String(value),
        ),
    );
    texts.push(...[...(await state.storage.list())].map((entry) => JSON.stringify(entry)));
    return texts.join("\n");
  });
}

describe("keys of a mailbox", () => {
  it("show their secret once, and never in a list", async () => {
    const { mailbox, api_key } = await createMailbox();
    const made = await newKey(api_key);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String) as string,
      mailbox,
      scope: "mailbox",
      created_at: expect.stringMatching(/Z$/) as string,
      expires_at: null,
      last_used_at: null,
      api_key: expect.stringMatching(/^mk_[0-9a-f]{64}$/) as string,
    });
    const listed = await ask<KeyList>("/v1/keys", { key: api_key });
    expect(listed.body.mailbox).toBe(mailbox);
    expect(listed.body.keys.map((key) => Object.keys(key).toSorted())).toEqual(
      Array.from({ length: 2 }, () => ["created_at", "expires_at", "id", "last_used_at", "scope"]),
    );
    const text = JSON.stringify(listed.body);
    for (const key of [api_key, made.body.api_key]) expect(text).not.toContain(key.slice(35));
  });

  it("show when they were last used, to the hour", async () => {
    const { api_key } = await createMailbox();
    const { body: made } = await newKey(api_key);
    const used = async () =>
      (await ask<KeyList>("/v1/keys", { key: api_key })).body.keys.find((key) => key.id === made.id)
        ?.last_used_at;
    expect(await used()).toBeNull();
    const now = Date.now();
    setClock(now);
    await api("/v1/inbox", { key: made.api_key });
    expect(await used()).toBe(new Date(now).toISOString());
    advance(3_599_999);
    await api("/v1/inbox", { key: made.api_key });
    expect(await used()).toBe(new Date(now).toISOString());
    advance(1);
    await api("/v1/inbox", { key: made.api_key });
    expect(await used()).toBe(new Date(now + 3_600_000).toISOString());
  });

  it("expire at expires_at to the millisecond", async () => {
    const { mailbox, api_key } = await createMailbox();
    const now = Date.now();
    setClock(now);
    const made = await newKey(api_key, { expires_at: new Date(now + 5_000).toISOString() });
    expect(made.body).toMatchObject({ expires_at: new Date(now + 5_000).toISOString() });
    advance(4_999);
    expect((await ask("/v1/me", { key: made.body.api_key })).body).toMatchObject({
      expires_at: new Date(now + 5_000).toISOString(),
    });
    advance(1);
    expect((await api("/v1/me", { key: made.body.api_key })).status).toBe(401);
    await evict(mailbox);
    expect((await api("/v1/me", { key: made.body.api_key })).status).toBe(401);
    expect((await api("/v1/me", { key: api_key })).status).toBe(200);
  });

  it.each([
    ["now", () => new Date().toISOString()],
    ["the past", () => "2020-01-01T00:00:00Z"],
    ["a time without an offset", () => "2099-01-01T00:00:00"],
    ["a date", () => "2099-01-01"],
    ["a number", () => 4_102_444_800],
    ["nonsense", () => "soon"],
  ])("cannot end at %s", async (_, expiresAt) => {
    const { api_key } = await createMailbox();
    const refused = await newKey(api_key, { expires_at: expiresAt() });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ details: [{ path: "expires_at" }] });
  });

  it("accept a time with an offset, and never expire with null", async () => {
    const { api_key } = await createMailbox();
    const offset = await newKey(api_key, { expires_at: "2099-01-01T02:00:00+02:00" });
    expect(offset.body).toMatchObject({ expires_at: "2099-01-01T00:00:00.000Z" });
    expect((await newKey(api_key, { expires_at: null })).body).toMatchObject({ expires_at: null });
  });

  it("may revoke themselves; without the last one only the operator can use the mailbox", async () => {
    const { mailbox, api_key } = await createMailbox();
    const { body } = await ask<KeyList>("/v1/keys", { key: api_key });
    expect((await revoke(api_key, body.keys[0]?.id ?? "")).body).toEqual({ deleted: true });
    expect((await api("/v1/me", { key: api_key })).status).toBe(401);
    const rescued = await ask<NewKey>(`/v1/keys?mailbox=${mailbox}`, { key: OPERATOR, method: "POST" });
    expect((await api("/v1/me", { key: rescued.body.api_key })).status).toBe(200);
  });

  it("can be revoked once, and then answer 404", async () => {
    const { api_key } = await createMailbox();
    const { body } = await newKey(api_key);
    expect((await revoke(api_key, body.id)).status).toBe(200);
    const again = await revoke(api_key, body.id);
    expect([again.status, again.body]).toEqual([404, problemBody(notFound("Key"))]);
  });
});

describe("a revoked key", () => {
  it("is invalid at once on twenty parallel connections and in an open wait, and after a restart", async () => {
    const { mailbox, api_key } = await createMailbox();
    const { body: made } = await newKey(api_key);
    const waiting = api("/v1/code?timeout=55", { key: made.api_key });
    expect((await api("/v1/inbox", { key: made.api_key })).status).toBe(200);
    const [revoked, ...answers] = await Promise.all([
      revoke(api_key, made.id),
      ...Array.from({ length: 20 }, () => api("/v1/inbox", { key: made.api_key })),
    ]);
    expect(revoked?.status).toBe(200);
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 401));
    expect((await waiting).status).toBe(401);
    await evict(mailbox);
    expect((await api("/v1/inbox", { key: made.api_key })).status).toBe(401);
  });

  it("ends no wait of another key", async () => {
    const { mailbox, api_key } = await createMailbox();
    const { body: made } = await newKey(api_key);
    const waiting = ask("/v1/code?timeout=55", { key: api_key });
    await api("/v1/me", { key: api_key });
    await revoke(api_key, made.id);
    await deliver(mailbox, plainMessage({ body: "Your verification code is 482913" }));
    expect((await waiting).body).toMatchObject({ code: "482913" });
  });
});

describe("stored data", () => {
  it("contains no secret, in no table of any actor", async () => {
    const { mailbox, api_key } = await createMailbox();
    const headers = { "CF-Connecting-IP": clientAddress(), "Idempotency-Key": `rest-${crypto.randomUUID()}` };
    const temporary = await bootstrap(headers);
    const { body: made } = await newKey(api_key);
    await api("/v1/inbox", { key: api_key });
    await deliver(mailbox, plainMessage({ subject: "A row to find" }));
    await deliver(temporary.mailbox, plainMessage());
    const stored = (
      await Promise.all([
        everythingStored(actorOf(mailbox)),
        everythingStored(actorOf(temporary.mailbox)),
        everythingStored(env.DIRECTORY.getByName(directoryShard(mailbox))),
        everythingStored(env.DIRECTORY.getByName(directoryShard(temporary.mailbox))),
        everythingStored(env.CLIENT_BUDGET.getByName(headers["CF-Connecting-IP"])),
      ])
    ).join("\n");
    expect(stored).toContain("A row to find");
    expect(stored).toContain(temporary.mailbox);
    for (const key of [api_key, made.api_key, temporary.api_key]) {
      expect(stored).not.toContain(key.slice(3));
      expect(stored).not.toContain(key.slice(35));
    }
    expect(stored).not.toContain(OPERATOR);
    expect(stored).not.toContain(headers["Idempotency-Key"]);
  });

  it("contains nothing of a deleted mailbox, whose key gets 401 in the next request", async () => {
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, plainMessage({ subject: "Erase me" }));
    const [deleted, next] = await Promise.all([
      ask("/v1/mailbox", { key: api_key, method: "DELETE" }),
      api("/v1/inbox", { key: api_key }),
    ]);
    expect(deleted.body).toEqual({ ok: true, deleted: mailbox, r2_blobs_deleted: 0 });
    expect(next.status).toBe(401);
    expect(await everythingStored(actorOf(mailbox))).toBe("");
    expect((await deliver(mailbox, plainMessage())).status).toBe(404);
  });
});
