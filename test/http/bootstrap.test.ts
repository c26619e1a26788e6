import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { directoryShard } from "../../src/contract/directory.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  bootstrap,
  clientAddress,
  deliver,
  evict,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  setClock,
  tablesOf,
} from "../harness.ts";

interface Bootstrapped {
  mailbox: string;
  api_key: string;
  expires_at: string;
  replayed: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

afterEach(resetClock);

const start = (headers: Record<string, string> = {}, vars = {}) =>
  ask<Bootstrapped>("/v1/bootstrap", {
    method: "POST",
    headers: { "CF-Connecting-IP": clientAddress(), ...headers },
    vars,
  });

describe("POST /v1/bootstrap", () => {
  it("creates a mailbox and a key without a credential", async () => {
    const made = await start();
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      mailbox: expect.stringMatching(/^agent-[0-9a-f]{16}@mailkeep\.test$/) as string,
      api_key: expect.stringMatching(/^mk_[0-9a-f]{64}$/) as string,
      scope: "provisional",
      expires_at: expect.stringMatching(/Z$/) as string,
      replayed: false,
      capabilities: expect.arrayContaining(["read", "code"]) as string[],
      upgrade: { command: expect.stringContaining("claim") as string, url: "https://api.example/claim" },
    });
    expect(made.headers.get("Cache-Control")).toBe("no-store");
    const me = await ask("/v1/me", { key: made.body.api_key });
    expect(me.body).toMatchObject({ mailbox: made.body.mailbox, scope: "provisional", send: false });
  });

  it("accepts an empty object as body, and lists other members as ignored", async () => {
    const headers = { "CF-Connecting-IP": clientAddress() };
    expect((await ask("/v1/bootstrap", { json: {}, headers })).status).toBe(201);
    const named = await ask("/v1/bootstrap", { json: { mailbox: "me@x.y" }, headers });
    expect([named.status, named.headers.get("Mailkeep-Ignored")]).toEqual([201, "mailbox"]);
    expect((await api("/v1/bootstrap", { method: "POST", body: "x=1", headers })).status).toBe(415);
  });

  it("uses PUBLIC_URL and MAIL_DOMAIN in its answer", async () => {
    const vars = { PUBLIC_URL: "https://mail.example/base/", MAIL_DOMAIN: "Agents.Example" };
    const made = await start({}, vars);
    expect(made.body).toMatchObject({ upgrade: { url: "https://mail.example/base/claim" } });
    expect(made.body.mailbox).toMatch(/@agents\.example$/);
  });

  it.each([
    ["Agents.Example.", "agents.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BU\u0308CHER.example.", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ])("makes mailboxes that mail reaches, however MAIL_DOMAIN is written: %s", async (written, domain) => {
    const vars = { MAIL_DOMAIN: written };
    const { mailbox } = (await start({}, vars)).body;
    expect(mailbox).toMatch(new RegExp(`^agent-[a-z0-9]+@${domain.replaceAll(".", "\\.")}$`));
    expect((await deliver(mailbox, plainMessage(), "ann@example.com", vars)).status).toBe(202);
    const asWritten = `${mailbox.split("@")[0] ?? ""}@${written}`;
    expect((await deliver(asWritten, plainMessage(), "ann@example.com", vars)).status).toBe(202);
  });

  it.each(["off", "false", "0"])("is 404 where BOOTSTRAP=%s", async (BOOTSTRAP) => {
    const off = await start({}, { BOOTSTRAP });
    expect(off.status).toBe(404);
    const fix = expect.stringContaining("POST /v1/claim/start") as string;
    expect(off.body).toMatchObject({ code: "not_found", fix });
  });
});

describe("an Idempotency-Key", () => {
  it("gives the same client the same answer again, with 200 and replayed", async () => {
    const headers = { "CF-Connecting-IP": clientAddress(), "Idempotency-Key": `same-${crypto.randomUUID()}` };
    const first = await start(headers);
    expect([first.status, first.body.replayed]).toEqual([201, false]);
    advance(HOUR_MS);
    const second = await start(headers);
    expect(second.status).toBe(200);
    expect(second.body).toEqual({ ...first.body, replayed: true });
    await evict(first.body.mailbox);
    expect((await start(headers)).body).toEqual({ ...first.body, replayed: true });
  });

  it("gives another client another mailbox, so that nobody can read it too", async () => {
    const key = { "Idempotency-Key": `shared-${crypto.randomUUID()}` };
    const mine = await start(key);
    const theirs = await start(key);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.mailbox).not.toBe(mine.body.mailbox);
    expect(theirs.body.api_key).not.toBe(mine.body.api_key);
    const forged = await start({ ...key, "X-Forwarded-For": "198.18.0.1", "True-Client-IP": "198.18.0.1" });
    expect(forged.body.mailbox).not.toBe(mine.body.mailbox);
  });

  it("creates one mailbox for twenty simultaneous calls", async () => {
    const headers = { "CF-Connecting-IP": clientAddress(), "Idempotency-Key": `race-${crypto.randomUUID()}` };
    const vars = { BOOTSTRAP_PER_HOUR: "100" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(headers, vars)));
    expect(new Set(answers.map(({ body }) => body.api_key)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.expires_at)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
  });

  it("is replayed even if the budget is used up", async () => {
    const headers = {
      "CF-Connecting-IP": clientAddress(),
      "Idempotency-Key": `spent-${crypto.randomUUID()}`,
    };
    const vars = { BOOTSTRAP_PER_HOUR: "1" };
    const first = await start(headers, vars);
    const other = { ...headers, "Idempotency-Key": `other-${crypto.randomUUID()}` };
    expect((await start(other, vars)).status).toBe(429);
    expect((await start(headers, vars)).body).toEqual({ ...first.body, replayed: true });
  });

  it.each([
    ["15 characters", "a".repeat(15), 400],
    ["16 characters", "Az09._:-Az09._:-", 201],
    ["128 characters", "b".repeat(128), 201],
    ["129 characters", "c".repeat(129), 400],
    ["a blank within", "aaaaaaaa aaaaaaaa", 400],
    ["a character not allowed", "aaaaaaaaaaaaaaaa/", 400],
    ["nothing", "", 400],
  ])("of %s", async (_, key, status) => {
    const answer = await start({ "Idempotency-Key": key });
    expect(answer.status).toBe(status);
    const told = JSON.stringify(answer.body);
    expect(told.includes("Idempotency-Key: must")).toBe(status === 400);
  });

  it("that others could guess creates a mailbox at each call, reveals no key, and gets a hint what to send", async () => {
    // All clients look the same to the server.
    const from = { "CF-Connecting-IP": clientAddress() };
    const guessable = [
      "my-first-agent-mailbox-for-testing",
      "bootstrap-0000000000000001",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "1700000000000-1700000000001-1700000000002",
      "00000000-0000-4000-8000-000000000001",
    ];
    for (const key of guessable) {
      const victim = await start({ ...from, "Idempotency-Key": key });
      const stranger = await start({ ...from, "Idempotency-Key": key });
      expect([victim.status, stranger.status]).toEqual([201, 201]);
      expect(stranger.body.api_key).not.toBe(victim.body.api_key);
      expect(stranger.body.mailbox).not.toBe(victim.body.mailbox);
      expect(victim.body).toMatchObject({ fix: expect.stringMatching(/random UUID/) as string });
    }
  });

  it.each([
    ["a UUID", () => crypto.randomUUID()],
    ["32 hex digits", () => crypto.randomUUID().replaceAll("-", "")],
    ["a UUID behind a prefix", () => `agent-7:${crypto.randomUUID()}`],
    ["two UUIDs in one", () => crypto.randomUUID() + crypto.randomUUID()],
    ["two UUIDs without hyphens", () => `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "")],
  ])("of %s is replayed, without advice", async (_, make) => {
    const headers = { "CF-Connecting-IP": clientAddress(), "Idempotency-Key": make() };
    const first = await start(headers);
    expect(first.body).not.toHaveProperty("fix");
    expect((await start(headers)).body).toEqual({ ...first.body, replayed: true });
  });

  it("is refused without KEY_SECRET, with the reason", async () => {
    const vars = { KEY_SECRET: undefined };
    const refused = await start({ "Idempotency-Key": "k".repeat(16) }, vars);
    expect([refused.status, refused.body]).toMatchObject([
      503,
      { error: expect.stringMatching("KEY_SECRET") as string },
    ]);
    expect((await start({}, vars)).status).toBe(201);
  });

  it("gives no access after its mailbox was deleted, until it creates a new one", async () => {
    const headers = { "CF-Connecting-IP": clientAddress(), "Idempotency-Key": `gone-${crypto.randomUUID()}` };
    const first = await start(headers);
    await deliver(first.body.mailbox, plainMessage());
    await ask("/v1/mailbox", { key: first.body.api_key, method: "DELETE" });
    expect((await api("/v1/inbox", { key: first.body.api_key })).status).toBe(401);
    const again = await start(headers);
    expect([again.status, again.body.replayed]).toEqual([201, false]);
    expect((await ask("/v1/inbox", { key: again.body.api_key })).body).toMatchObject({ emails: [] });
  });
});

describe("the bootstrap budget", () => {
  it("is ten an hour and client address, then 429 with Retry-After until the hour is over", async () => {
    const headers = { "CF-Connecting-IP": clientAddress() };
    setClock(Date.now());
    for (let count = 0; count < 10; count += 1) expect((await start(headers)).status).toBe(201);
    const over = await start(headers);
    expect(over.status).toBe(429);
    expect(over.headers.get("Retry-After")).toBe("3600");
    expect(over.headers.get("RateLimit-Policy")).toBe('"bootstrap";q=10;w=3600');
    expect(over.headers.get("RateLimit")).toBe('"bootstrap";r=0;t=3600');
    expect(over.body).toMatchObject({
      fix: expect.stringMatching(/in 3600 s, .* BOOTSTRAP_PER_HOUR \(now 10\)/) as string,
    });
    expect((await start()).status).toBe(201);
    advance(HOUR_MS - 1_000);
    expect((await start(headers)).headers.get("Retry-After")).toBe("1");
    advance(1_000);
    expect((await start(headers)).status).toBe(201);
  });

  it("is set by BOOTSTRAP_PER_HOUR, and survives a restart", async () => {
    const address = clientAddress();
    const headers = { "CF-Connecting-IP": address };
    const vars = { BOOTSTRAP_PER_HOUR: "2" };
    expect((await start(headers, vars)).status).toBe(201);
    expect((await start(headers, vars)).status).toBe(201);
    const { evictDurableObject } = await import("cloudflare:test");
    await evictDurableObject(env.CLIENT_BUDGET.getByName(address));
    expect((await start(headers, vars)).status).toBe(429);
    expect((await start(headers, { BOOTSTRAP_PER_HOUR: "3" })).status).toBe(201);
  });

  it("counts IPv6 clients by their /64, and an IPv4-mapped address as the IPv4 one", async () => {
    const vars = { BOOTSTRAP_PER_HOUR: "1" };
    const from = async (address: string) => (await start({ "CF-Connecting-IP": address }, vars)).status;
    expect(await from("2001:db8:5:6:7:8:9:a")).toBe(201);
    expect(await from("2001:db8:5:6::1")).toBe(429);
    expect(await from("2001:DB8:0005:6:ffff::")).toBe(429);
    expect(await from("2001:db8:5:7::1")).toBe(201);
    const ipv4 = clientAddress();
    expect(await from(ipv4)).toBe(201);
    expect(await from(`::ffff:${ipv4}`)).toBe(429);
  });

  it("cannot be avoided with a forged X-Forwarded-For", async () => {
    const headers = { "CF-Connecting-IP": clientAddress() };
    const vars = { BOOTSTRAP_PER_HOUR: "1" };
    expect((await start({ ...headers, "X-Forwarded-For": "203.0.113.1" }, vars)).status).toBe(201);
    expect((await start({ ...headers, "X-Forwarded-For": "203.0.113.2" }, vars)).status).toBe(429);
  });

  it("is shared by all clients if CF-Connecting-IP is not trusted", async () => {
    const vars = { BOOTSTRAP_PER_HOUR: "1", TRUST_CLIENT_ADDRESS: "false" };
    const answers = [await start({}, vars), await start({}, vars), await start({}, vars)];
    expect(answers.map(({ status }) => status)).toEqual([201, 429, 429]);
  });

  it("follows CF-Connecting-IP of this server's own front only, which shows its secret", async () => {
    const secret = "f".repeat(32);
    const vars = { BOOTSTRAP_PER_HOUR: "1", TRUST_CLIENT_ADDRESS: "true", FRONT_SECRET: secret };
    const from = async (address: string, shown: Record<string, string>) =>
      (await start({ "CF-Connecting-IP": address, ...shown }, vars)).status;
    const [one, other] = [clientAddress(), clientAddress()];
    expect(await from(one, { "Mailkeep-Front": secret })).toBe(201);
    expect(await from(one, { "Mailkeep-Front": secret })).toBe(429);
    expect(await from(other, { "Mailkeep-Front": secret })).toBe(201);
    // Others share one budget, which an earlier test has used up.
    expect(await from(clientAddress(), {})).toBe(429);
    expect(await from(clientAddress(), { "Mailkeep-Front": "e".repeat(32) })).toBe(429);
  });

  it("is not used up by refused calls", async () => {
    const headers = { "CF-Connecting-IP": clientAddress() };
    const vars = { BOOTSTRAP_PER_HOUR: "1" };
    expect((await start({ ...headers, "Idempotency-Key": "short" }, vars)).status).toBe(400);
    expect((await start(headers, vars)).status).toBe(201);
  });
});

describe("the end of a temporary mailbox", () => {
  it("comes at 72 hours to the second: T-1 s, T, T+1 s", async () => {
    const now = Date.now();
    setClock(now);
    const { body } = await start();
    expect(Date.parse(body.expires_at)).toBe(now + 3 * DAY_MS);
    setClock(now + 3 * DAY_MS - 1_000);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(200);
    expect((await deliver(body.mailbox, plainMessage())).status).toBe(202);
    setClock(now + 3 * DAY_MS - 1);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(200);
    setClock(now + 3 * DAY_MS);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    expect((await deliver(body.mailbox, plainMessage())).status).toBe(404);
    setClock(now + 3 * DAY_MS + 1_000);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    expect((await ask(`/v1/mailboxes/${body.mailbox}`, { key: OPERATOR })).status).toBe(404);
  });

  it("has an alarm set to it, and an early alarm ends nothing", async () => {
    const { body } = await start();
    expect(await alarmOf(body.mailbox)).toBe(Date.parse(body.expires_at));
    expect(await ringAlarm(body.mailbox)).toBe(true);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(200);
    expect(await alarmOf(body.mailbox)).toBe(Date.parse(body.expires_at));
  });

  it("is effective even if the alarm is late, and stays when the clock moves backwards", async () => {
    const { body } = await start();
    await deliver(body.mailbox, plainMessage());
    advance(3 * DAY_MS - 60_000);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(200);
    advance(60_000);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    expect((await deliver(body.mailbox, plainMessage())).status).toBe(404);
    await evict(body.mailbox);
    await ringAlarm(body.mailbox);
    resetClock();
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    expect(await actorOf(body.mailbox).getChunk("any", 0)).toBeNull();
  });

  it("stays when the clock moves backwards before the alarm rings", async () => {
    const { body } = await start();
    advance(3 * DAY_MS);
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
    resetClock();
    expect((await ask("/v1/inbox", { key: body.api_key })).status).toBe(401);
  });

  it("erases rows, blobs, the search index, the alarm and the directory's entry", async () => {
    const { mailbox, api_key } = await bootstrap();
    await deliver(mailbox, plainMessage({ subject: "Small" }));
    await deliver(mailbox, plainMessage({ subject: "Large", body: "x".repeat(600_000) }));
    const blobs = async () => (await env.BLOBS.list()).objects.map((object) => object.key);
    expect((await ask("/v1/search?q=large", { key: api_key })).body).toMatchObject({
      emails: [{ subject: "Large" }],
    });
    const before = await blobs();
    expect(before.length).toBeGreaterThan(0);
    advance(3 * DAY_MS + 1);
    expect(await ringAlarm(mailbox)).toBe(true);
    expect(await tablesOf(mailbox)).toEqual([]);
    expect(await alarmOf(mailbox)).toBeNull();
    const after = await blobs();
    expect(after.length).toBeLessThan(before.length);
    resetClock();
    const entries = await env.DIRECTORY.getByName(directoryShard(mailbox)).list({
      after: "",
      status: null,
      limit: 1_000,
    });
    expect(entries.map((entry) => entry.address)).not.toContain(mailbox);
  });

  it("removes it from the directory's list at once, even if its alarm is late", async () => {
    const { body } = await start();
    const listed = async () => {
      const shard = env.DIRECTORY.getByName(directoryShard(body.mailbox));
      const entries = await shard.list({ after: "", status: null, limit: 1_000 });
      return entries.some((entry) => entry.address === body.mailbox);
    };
    expect(await listed()).toBe(true);
    advance(3 * DAY_MS);
    expect(await listed()).toBe(false);
  });

  it("makes the same key create another address, which repeats then answer", async () => {
    const headers = {
      "CF-Connecting-IP": clientAddress(),
      "Idempotency-Key": `again-${crypto.randomUUID()}`,
    };
    const first = await start(headers);
    await deliver(first.body.mailbox, plainMessage({ subject: "Of the first life" }));
    advance(3 * DAY_MS);
    const second = await start(headers);
    expect([second.status, second.body.replayed]).toEqual([201, false]);
    expect(second.body.mailbox).not.toBe(first.body.mailbox);
    expect((await ask("/v1/inbox", { key: second.body.api_key })).body).toMatchObject({ emails: [] });
    expect((await deliver(first.body.mailbox, plainMessage())).status).toBe(404);
    expect((await start(headers)).body).toEqual({ ...second.body, replayed: true });
  });

  it("can be followed by any number of mailboxes of the same Idempotency-Key, each with a new address", async () => {
    const vars = { BOOTSTRAP_PER_HOUR: "100" };
    const headers = {
      "CF-Connecting-IP": clientAddress(),
      "Idempotency-Key": `often-${crypto.randomUUID()}`,
    };
    const seen = new Set<string>();
    for (let count = 0; count < 12; count += 1) {
      const { status, body } = await start(headers, vars);
      expect(status).toBe(201);
      expect((await start(headers, vars)).body).toEqual({ ...body, replayed: true });
      seen.add(body.mailbox);
      await ask("/v1/mailbox", { key: body.api_key, method: "DELETE" });
    }
    expect(seen.size).toBe(12);
  });
});
