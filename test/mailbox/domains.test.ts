import { createPublicKey, createSign, createVerify } from "node:crypto";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { problemBody, notFound, UNKNOWN_MAILBOX } from "../../src/contract/problem.ts";
import type { Domain, DomainCheck, DomainList } from "../../src/contract/domain.ts";
import { locatorOf } from "../../src/contract/key.ts";
import type { Email } from "../../src/contract/message.ts";
import type { Sent } from "../../src/contract/sending.ts";
import { isSignedWith, keyOfRecord } from "../dkim-signature.ts";
import { Zone } from "../dns-zone.ts";
import {
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  inject,
  OPERATOR,
  plainMessage,
  ringAlarm,
  rowsOf,
  setClock,
  withBindings,
  type TestMailbox,
} from "../harness.ts";
import { endOutside, outside, until, withVariables, type Outside } from "../webhook-target.ts";

const RESOLVER = "https://cloudflare-dns.com/dns-query";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNKNOWN = problemBody(UNKNOWN_MAILBOX);

let zone: Zone;
let world: Outside;
let made = 0;
/** A new domain for each test: the object of a domain outlives a test. */
const newName = () => `d${(made += 1)}-${Math.random().toString(36).slice(2, 8)}.example.org`;

beforeEach(() => {
  zone = new Zone();
  world = outside(({ url }) => Response.json(zone.answer(new URL(url))));
});
afterEach(endOutside);

const add = (box: TestMailbox, domain: string) =>
  ask<Domain & { error: string }>("/v1/domains", { key: box.api_key, json: { domain } });
const verify = (box: TestMailbox, id: string) =>
  ask<DomainCheck & { error: string }>(`/v1/domains/${id}/verify`, { key: box.api_key, method: "POST" });
const get = async (box: TestMailbox, id: string) =>
  (await ask<Domain>(`/v1/domains/${id}`, { key: box.api_key })).body;
const remove = (box: TestMailbox, id: string) =>
  ask(`/v1/domains/${id}`, { key: box.api_key, method: "DELETE" });
const send = (box: TestMailbox, json: Record<string, unknown>) =>
  ask<Sent & { error: string; message: string }>("/v1/send?wait=10", {
    key: box.api_key,
    json: { to: "ann@elsewhere.example", subject: "Hi", text: "Hello.", ...json },
  });
const emailOf = async (box: TestMailbox, id: string) =>
  (await ask<Email>(`/v1/emails/${id}`, { key: box.api_key })).body;

/** Adds a domain, sets its records and verifies it. */
async function owned(box: TestMailbox, name = newName()): Promise<Domain> {
  const { body } = await add(box, name);
  zone.publish(body.dns_records);
  const checked = await verify(box, body.id);
  expect([checked.status, checked.body]).toMatchObject([200, { status: "verified" }]);
  return body;
}

/** Rings the alarm after `ms` and waits until every look-up that it began has ended. */
async function recheckAfter(box: TestMailbox, ms: number): Promise<void> {
  advance(ms);
  const before = zone.asked.length;
  expect(await ringAlarm(box.mailbox)).toBe(true);
  await until(async () => {
    const [row] = await rowsOf<{ due_at: number | null; held: number }>(
      box.mailbox,
      "SELECT due_at, held FROM domain",
    );
    const isLeased = row?.held === 1 && row.due_at === Date.now() + HOUR_MS && zone.broken.size === 0;
    return zone.asked.length >= before + 4 && !isLeased;
  });
}

const holderOf = (name: string) => env.DOMAIN.getByName(name).holder();

describe("a domain that is added", () => {
  it("is pending, and the answer lists the four records to set", async () => {
    const box = await createMailbox();
    const { status, body } = await add(box, " EXAMPLE-Shop.org. ");
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.any(String) as string,
      domain: "example-shop.org",
      status: "pending",
      instructions: expect.stringContaining(`/v1/domains/${body.id}/verify`) as string,
      mx_verified: false,
      dkim_verified: false,
      verified_at: null,
      dns_records: {
        mx: { type: "MX", host: "example-shop.org", value: "mailkeep.test", priority: 10 },
        spf: { type: "TXT", host: "example-shop.org", value: "v=spf1 include:mailkeep.test ~all" },
        dkim: {
          type: "TXT",
          value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{392}$/) as string,
        },
        dmarc: { type: "TXT", host: "_dmarc.example-shop.org", value: "v=DMARC1; p=none" },
      },
    });
    expect(body.dns_records.dkim?.host).toMatch(/^mk[0-9a-f]{10}\._domainkey\.example-shop\.org$/);
    expect(world.sent).toEqual([]);
    expect(await get(box, body.id)).toEqual(body);
    const list = await ask<DomainList>("/v1/domains", { key: box.api_key });
    expect(list.body).toEqual({ domains: [body] });
  });

  it("gets records with the mail hosts and SPF mechanisms of the deployment's configuration", async () => {
    const box = await createMailbox();
    const vars = {
      MAIL_HOST: "Route1.mx.example.net, route2.mx.example.net.",
      SPF_MECHANISMS: "include:_spf.example.net ip4:192.0.2.1",
    };
    await withVariables(box, vars);
    const { dns_records, instructions } = (await add(box, newName())).body;
    expect(dns_records.mx?.value).toBe("route1.mx.example.net");
    expect(instructions).toContain("route2.mx.example.net");
    expect(dns_records.spf?.value).toBe("v=spf1 include:_spf.example.net ip4:192.0.2.1 ~all");
  });

  it("gets a key of 2,048 bits of its own, whose private half is shown nowhere", async () => {
    const [one, other] = [await createMailbox(), await createMailbox()];
    const name = newName();
    const [first, second] = [(await add(one, name)).body, (await add(other, name)).body];
    expect(first.dns_records.dkim).not.toEqual(second.dns_records.dkim);
    const [row] = await rowsOf<{ private_key: string; public_key: string }>(
      one.mailbox,
      "SELECT private_key, public_key FROM domain",
    );
    const key = createPublicKey({
      key: Buffer.from(row?.public_key ?? "", "base64"),
      format: "der",
      type: "spki",
    });
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2_048);
    const signature = createSign("sha256")
      .update("x")
      .sign(row?.private_key ?? "");
    expect(createVerify("sha256").update("x").verify(key, signature)).toBe(true);
    const shown = JSON.stringify([first, await get(one, first.id), (await verify(one, first.id)).body]);
    const secret = row?.private_key.split("\n")[3] ?? "";
    expect(secret).toHaveLength(64);
    expect(shown).not.toContain(secret);
  });

  it("is refused if the mailbox already has it, in any spelling, and beyond twenty domains", async () => {
    const box = await createMailbox();
    const name = newName();
    expect((await add(box, name)).status).toBe(201);
    const again = await add(box, `${name.toUpperCase()}.`);
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: "conflict", error: `${name} is among your domains already` },
    ]);
    for (let count = 1; count < 20; count += 1) expect((await add(box, newName())).status).toBe(201);
    const more = await add(box, newName());
    expect([more.status, more.body.error]).toEqual([409, "Too many domains (max 20); delete one first"]);
    const { domains } = (await ask<DomainList>("/v1/domains", { key: box.api_key })).body;
    await remove(box, domains[0]?.id ?? "");
    expect((await add(box, newName())).status).toBe(201);
  });

  it("is limited to sixty an hour, because each one needs a key pair", async () => {
    const box = await createMailbox();
    const statuses: number[] = [];
    for (let count = 0; count < 60; count += 1) {
      const { status, body } = await add(box, "again.example.net");
      statuses.push(status);
      await remove(box, body.id);
    }
    expect(new Set(statuses)).toEqual(new Set([201]));
    const { status, headers } = await add(box, "again.example.net");
    expect(status).toBe(429);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(3_000);
    advance(HOUR_MS);
    expect((await add(box, "again.example.net")).status).toBe(201);
  });

  it.each([
    ["mailkeep.test", "this service's own"],
    ["x.mailkeep.test", "this service's own"],
    ["API.example.", "this service's own"],
    ["deep.api.example", "this service's own"],
    ["co", "single label"],
    ["127.0.0.1", "must be a domain name"],
    ["[::1]", "must be a domain name"],
    ["<script>alert(1)</script>.org", "must be a domain name"],
    ["'; DROP TABLE domain; --.org", "must be a domain name"],
    ["x.localhost", "reserved"],
    ["x".repeat(1_025), "at most 1024 characters"],
  ])("cannot be a name that nobody may use: %j", async (domain, reason) => {
    const box = await createMailbox();
    const { status, body } = await add(box, domain);
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^domain: must /)]);
    expect(body.error).toContain(reason);
    expect(await rowsOf(box.mailbox, "SELECT * FROM domain")).toEqual([]);
  });

  it.each([{}, { domain: 1 }, { domain: ["a.org"] }, { domain: null }, []])(
    "is refused if the request does not give its name as a text: %j",
    async (json) => {
      const box = await createMailbox();
      expect((await ask("/v1/domains", { key: box.api_key, json })).status).toBe(400);
    },
  );

  it("may not be a parent domain of the deployment's public address", async () => {
    const box = await createMailbox();
    const vars = { PUBLIC_URL: "https://agents.corp.example" };
    const ofCorp = await ask("/v1/domains", { key: box.api_key, json: { domain: "corp.example" }, vars });
    expect(ofCorp.status).toBe(400);
  });

  it("is checked only after the caller is authorized", async () => {
    const box = await createMailbox();
    await ask("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" });
    expect((await add(box, "mailkeep.test")).body).toEqual({ error: "Mailbox is paused" });
  });
});

describe("a domain of another mailbox", () => {
  it("answers 404, as a domain that does not exist", async () => {
    const [box, stranger] = [await createMailbox(), await createMailbox()];
    const { id } = (await add(box, newName())).body;
    const calls: [string, string][] = [
      ["GET", ""],
      ["POST", "/verify"],
      ["DELETE", ""],
    ];
    for (const [method, rest] of calls) {
      for (const which of [id, "none", "0".repeat(64)]) {
        const { status, body } = await ask(`/v1/domains/${which}${rest}`, { key: stranger.api_key, method });
        expect([status, body]).toEqual([404, problemBody(notFound("Domain"))]);
      }
    }
    expect((await get(box, id)).status).toBe("pending");
    expect(world.sent).toEqual([]);
  });

  it("can be read by the operator, who names the mailbox", async () => {
    const box = await createMailbox();
    const { id } = (await add(box, newName())).body;
    const named = await ask(`/v1/domains/${id}?mailbox=${box.mailbox}`, { key: OPERATOR });
    expect([named.status, named.body]).toMatchObject([200, { id }]);
    expect((await ask(`/v1/domains/${id}`, { key: OPERATOR })).status).toBe(400);
  });
});

describe("verification", () => {
  it("reports on each record, and succeeds with MX and DKIM", async () => {
    const box = await createMailbox();
    const { id, domain, dns_records } = (await add(box, newName())).body;
    const nothing = await verify(box, id);
    expect([nothing.status, nothing.body]).toMatchObject([
      200,
      {
        status: "pending",
        mx_verified: false,
        spf_verified: false,
        dkim_verified: false,
        dmarc_verified: false,
      },
    ]);
    expect(nothing.body.message).toContain("Required and not found: MX, DKIM.");
    expect(nothing.body.checked.map(({ record, required, result }) => [record, required, result])).toEqual([
      ["mx", true, "missing"],
      ["spf", false, "missing"],
      ["dkim", true, "missing"],
      ["dmarc", false, "missing"],
    ]);
    expect(await holderOf(domain)).toBeNull();

    zone.set("MX", domain, "10 elsewhere.example.");
    zone.publish(dns_records, ["dkim"]);
    const half = (await verify(box, id)).body;
    expect(half).toMatchObject({ status: "pending", mx_verified: false, dkim_verified: true });
    expect(half.checked[0]).toMatchObject({
      result: "wrong",
      found: ["10 elsewhere.example."],
      expected: "mailkeep.test",
    });

    zone.publish(dns_records, ["mx"]);
    const whole = (await verify(box, id)).body;
    expect(whole).toMatchObject({
      id,
      domain,
      status: "verified",
      mx_verified: true,
      spf_verified: false,
      dkim_verified: true,
      dmarc_verified: false,
    });
    expect(whole.message).toContain("Recommended and not found: SPF, DMARC.");
    expect(await holderOf(domain)).toMatchObject({ locator: locatorOf(box.mailbox) });
    zone.publish(dns_records);
    expect((await verify(box, id)).body).toMatchObject({ spf_verified: true, dmarc_verified: true });
    expect(await get(box, id)).toMatchObject({ status: "verified", spf_verified: true, fails_at: null });
  });

  it("is limited to ten times a minute for one mailbox, because each asks the resolver four times", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    setClock(Date.now());
    const ids = [(await add(box, newName())).body.id, (await add(box, newName())).body.id] as const;
    for (let count = 0; count < 10; count += 1) {
      expect((await verify(box, ids[count % 2 === 0 ? 0 : 1])).status).toBe(200);
    }
    const asked = zone.asked.length;
    expect(asked).toBe(40);
    advance(15_000);
    for (const id of ids) {
      const { status, body, headers } = await verify(box, id);
      expect([status, body]).toEqual([
        429,
        problemBody({
          code: "rate_limited",
          error: "Too many requests: verification is limited to 10 in 60 s",
          retryAfterSeconds: 45,
        }),
      ]);
      expect(headers.get("Retry-After")).toBe("45");
      expect(headers.get("RateLimit-Policy")).toBe('"verification";q=10;w=60');
    }
    expect((await verify(box, "none")).status).toBe(404);
    expect(zone.asked.length).toBe(asked);
    const { id } = (await add(other, newName())).body;
    expect((await verify(other, id)).status).toBe(200);
    advance(45_000);
    expect((await verify(box, ids[0])).status).toBe(200);
  });

  it("by the alarm continues even if clients have reached that limit", async () => {
    const box = await createMailbox();
    setClock(Date.now());
    const { id } = await owned(box);
    for (let count = 1; count < 10; count += 1) expect((await verify(box, id)).status).toBe(200);
    expect((await verify(box, id)).status).toBe(429);
    await recheckAfter(box, DAY_MS + 1);
    expect(await get(box, id)).toMatchObject({ status: "verified", fails_at: null });
  });

  it("survives an eviction of the mailbox", async () => {
    const box = await createMailbox();
    const { id } = await owned(box);
    await evict(box.mailbox);
    expect(await get(box, id)).toMatchObject({ status: "verified", mx_verified: true });
  });

  it("does not accept another mailbox's DKIM key for the same domain", async () => {
    const [victim, attacker] = [await createMailbox(), await createMailbox()];
    const name = newName();
    const wanted = (await add(victim, name)).body;
    const greedy = (await add(attacker, name)).body;
    zone.publish(wanted.dns_records);
    expect((await verify(attacker, greedy.id)).body).toMatchObject({
      status: "pending",
      mx_verified: true,
      dkim_verified: false,
    });
    expect(await holderOf(name)).toBeNull();
    // Nor the victim's key under the attacker's selector.
    const key = wanted.dns_records.dkim?.value ?? "";
    zone.set("TXT", greedy.dns_records.dkim?.host ?? "", `"${key}"`);
    expect((await verify(attacker, greedy.id)).body).toMatchObject({
      status: "pending",
      dkim_verified: false,
    });
    expect((await verify(victim, wanted.id)).body.status).toBe("verified");
  });

  it("succeeds for one of two mailboxes at the same time, and the other gets 409", async () => {
    const boxes = [await createMailbox(), await createMailbox()];
    const name = newName();
    const asked = await Promise.all(boxes.map(async (box) => ({ box, ...(await add(box, name)).body })));
    for (const { dns_records } of asked) zone.publish(dns_records);
    const said = await Promise.all(asked.map(({ box, id }) => verify(box, id)));
    expect(new Set(said.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const lost = said.findIndex(({ status }) => status === 409);
    expect(said[lost]?.body).toMatchObject({
      code: "conflict",
      error: `${name} is held by another mailbox`,
    });
    const [winner, loser] = [asked[1 - lost], asked[lost]];
    if (winner === undefined || loser === undefined) throw new Error("Nobody won");
    expect((await get(loser.box, loser.id)).status).toBe("pending");
    await deliver(`any@${name}`, plainMessage({ subject: "Mine" }));
    const inbox = async ({ api_key }: TestMailbox) =>
      (await ask<{ emails: unknown[] }>("/v1/inbox", { key: api_key })).body.emails;
    expect([(await inbox(winner.box)).length, (await inbox(loser.box)).length]).toEqual([1, 0]);

    // The winner removes the domain, and the other mailbox can have it.
    expect((await remove(winner.box, winner.id)).body).toEqual({ ok: true, deleted: name });
    expect((await verify(loser.box, loser.id)).body.status).toBe("verified");
  });

  it("is one look-up, and counts as one, if many calls ask for it at the same time", async () => {
    const box = await createMailbox();
    const { id, dns_records } = (await add(box, newName())).body;
    zone.publish(dns_records);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    world.answer = async ({ url }) => {
      await held;
      return Response.json(zone.answer(new URL(url)));
    };
    const calls = Array.from({ length: 20 }, () => verify(box, id));
    // The mailbox serves calls in order, so this answer comes after all others have begun.
    expect((await get(box, id)).status).toBe("pending");
    release();
    const said = await Promise.all(calls);
    expect(new Set(said.map(({ status, body }) => `${status} ${body.status}`))).toEqual(
      new Set(["200 verified"]),
    );
    expect(zone.asked).toHaveLength(4);
  });

  it("changes nothing if the resolver does not answer, and says so", async () => {
    const box = await createMailbox();
    const { id, domain, dns_records } = (await add(box, newName())).body;
    zone.publish(dns_records);
    zone.broken.add(domain);
    const unsure = await verify(box, id);
    expect([unsure.status, unsure.body]).toMatchObject([200, { status: "pending", dkim_verified: true }]);
    expect(unsure.body.message).toContain("Could not be looked up, try again: MX, SPF.");
    world.answer = () => new Response("no", { status: 502 });
    expect((await verify(box, id)).body.checked.map(({ result }) => result)).toEqual(
      Array.from({ length: 4 }, () => "unknown"),
    );
    expect(await get(box, id)).toMatchObject({ status: "pending" });
  });

  it("asks the configured resolver", async () => {
    const box = await createMailbox();
    const { id } = (await add(box, newName())).body;
    await withVariables(box, { DOH_URL: "https://doh.corp.example/q" });
    await verify(box, id);
    expect(world.to("https://doh.corp.example/q?name=")).toHaveLength(4);
    expect(world.to(RESOLVER)).toHaveLength(0);
  });

  it("continues after the process died while it called the domain's object", async () => {
    const box = await createMailbox();
    const { id, domain, dns_records } = (await add(box, newName())).body;
    zone.publish(dns_records);
    // The object of the domain stores the holder, but its answer is lost.
    const { DOMAIN } = env;
    const dying = {
      getByName: (name: string) => ({
        take: async (...said: [string, number]) => {
          await DOMAIN.getByName(name).take(...said);
          throw new Error("died");
        },
      }),
    };
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await withBindings(box.mailbox, { DOMAIN: dying }, async () => {
      expect((await verify(box, id)).status).toBe(500);
    });
    expect(await get(box, id)).toMatchObject({ status: "pending" });
    expect(await alarmOf(box.mailbox)).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    await recheckAfter(box, HOUR_MS + 1);
    expect(await get(box, id)).toMatchObject({ status: "verified" });
    expect(await holderOf(domain)).toMatchObject({ locator: locatorOf(box.mailbox) });
  });
});

describe("mail to a verified domain", () => {
  it("reaches the mailbox at every address, and the email shows the address with its tag", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    for (const local of ["sales", "postmaster", "a.b-c_d", "Anything+Tag", '"quoted"']) {
      const { status, body } = await deliver(`${local}@${domain.toUpperCase()}`, plainMessage());
      expect(status).toBe(202);
      const { to_address, mailbox } = await emailOf(box, body.id);
      expect([to_address, mailbox]).toEqual([
        `${local.toLowerCase().replaceAll('"', "")}@${domain}`,
        box.mailbox,
      ]);
    }
    const filtered = await ask<{ emails: { to_address: string }[] }>(`/v1/inbox?to=sales@${domain}`, {
      key: box.api_key,
    });
    expect(filtered.body.emails.map(({ to_address }) => to_address)).toEqual([`sales@${domain}`]);
  });

  it("is also received by the platform's email handler", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    expect(await inject(plainMessage(), "x@y.example", `me@${domain}`)).toEqual({ rejected: null });
    expect(await inject(plainMessage(), "x@y.example", `me@not-${domain}`)).toEqual({
      rejected: "550 5.1.1 No such mailbox",
    });
  });

  it("is accepted at RCPT TO, before the message, like mail to the mailbox itself", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const known = await ask(`/v1/mailboxes/any@${domain}`, { key: OPERATOR });
    expect([known.status, known.body]).toMatchObject([200, { mailbox: box.mailbox }]);
    // Pausing and deleting need the mailbox's own address.
    for (const [method, rest] of [
      ["DELETE", ""],
      ["PATCH", "/pause"],
    ] as const) {
      const other = await ask(`/v1/mailboxes/any@${domain}${rest}`, { key: OPERATOR, method });
      expect(other.status).toBe(404);
    }
  });

  it("may be large", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const body = `${"x".repeat(70)}\n`.repeat(10_000);
    const stored = await deliver(`big@${domain}`, plainMessage({ body }));
    expect((await emailOf(box, stored.body.id)).to_address).toBe(`big@${domain}`);
  });

  it("is refused and leaves no data if it is for a subdomain, a parent domain or a pending domain", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const pending = (await add(box, newName())).body.domain;
    for (const name of [`sub.${domain}`, "example.org", pending, "nobody.example", "gmail.com"]) {
      const answer = await deliver(`x@${name}`, plainMessage());
      expect([answer.status, answer.body]).toEqual([404, UNKNOWN]);
      expect(await holderOf(name)).toBeNull();
      const tables = await tablesOfDomain(name);
      expect([name, tables]).toEqual([name, []]);
    }
  });

  it("is refused temporarily while the domain's object does not answer", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const DOMAIN = { getByName: () => ({ holder: () => Promise.reject(new Error("overloaded")) }) };
    const put = await deliver(`x@${domain}`, plainMessage(), "a@b.example", { DOMAIN });
    expect(put.status).toBe(503);
    await expect(inject(plainMessage(), "a@b.example", `x@${domain}`, { DOMAIN })).rejects.toThrow(
      "overloaded",
    );
    expect(log).toHaveBeenCalled();
    // Mail to the deployment's own domain needs no such object.
    expect((await deliver(box.mailbox, plainMessage(), "a@b.example", { DOMAIN })).status).toBe(202);
  });

  it("still goes to mailboxes from before the deployment changed its domain", async () => {
    const box = await createMailbox();
    const vars = { MAIL_DOMAIN: "moved.example" };
    expect((await deliver(box.mailbox, plainMessage(), "a@b.example", vars)).status).toBe(202);
  });
});

async function tablesOfDomain(name: string): Promise<string[]> {
  const { runInDurableObject } = await import("cloudflare:test");
  return runInDurableObject(env.DOMAIN.getByName(name), (_, state) =>
    state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
      )
      .toArray()
      .map((row) => row.name),
  );
}

describe("mail from a verified domain", () => {
  const rawOf = async (box: TestMailbox, id: string) =>
    (await api(`/v1/emails/${id}/raw`, { key: box.api_key })).text();

  it("may be from any of its addresses, is signed with its key, and bounces to the mailbox", async () => {
    const box = await createMailbox();
    const { domain, dns_records } = await owned(box);
    const { status, body } = await send(box, { from: `"Sales" <Sales+x@${domain}>` });
    expect([status, body]).toMatchObject([200, { status: "sent" }]);
    expect(body.message_id).toMatch(new RegExp(`@${domain}>$`));
    expect(await emailOf(box, body.id)).toMatchObject({
      from_address: `sales+x@${domain}`,
      from_name: "Sales",
    });
    const raw = await rawOf(box, body.id);
    const selector = dns_records.dkim?.host.split(".")[0] ?? "";
    expect(raw).toMatch(/^DKIM-Signature: /);
    expect(raw).toContain(` d=${domain};`);
    expect(raw.replace(/\s/g, "")).toContain(`s=${selector};`);
    const [path] = await rowsOf<{ return_path: string }>(box.mailbox, "SELECT return_path FROM outbox");
    expect(path?.return_path).toMatch(/\+b\.[a-z2-7]{20}@mailkeep\.test$/);
    const key = keyOfRecord(dns_records.dkim?.value ?? "");
    expect(isSignedWith(Buffer.from(raw), key)).toBe(true);
    expect(isSignedWith(Buffer.from(raw.replace("Hello.", "Hallo.")), key)).toBe(false);
  });

  it("is not signed with its key if it is from the mailbox's own address", async () => {
    const box = await createMailbox();
    await owned(box);
    const { body } = await send(box, {});
    expect(await rawOf(box, body.id)).not.toContain("DKIM-Signature");
  });

  it.each<[string, (domain: string) => string]>([
    ["a domain below it", (domain) => `x@sub.${domain}`],
    ["a domain above it", () => "x@example.org"],
    ["two addresses", (domain) => `a@${domain}, b@evil.example`],
    ["a name that is one", (domain) => `"a@${domain}" <x@evil.example>`],
    ["another mailbox of the deployment", () => "someone-else@mailkeep.test"],
  ])("may not be from %s", async (_, from) => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const { status, body } = await send(box, { from: from(domain) });
    expect([status, body.error]).toEqual([403, `From address must match your mailbox: ${box.mailbox}`]);
  });

  it("is refused until the domain is verified, with the reason", async () => {
    const box = await createMailbox();
    const { domain } = (await add(box, newName())).body;
    const { status, body } = await send(box, { from: `x@${domain}` });
    expect([status, body]).toEqual([
      403,
      problemBody({
        error: `From address must match your mailbox: ${box.mailbox}`,
        code: "wrong_sender",
        message: `${domain} is not verified yet`,
        fix: "Set the records of GET /v1/domains and call POST /v1/domains/<id>/verify, or leave `from` out.",
      }),
    ]);
  });

  it("cannot be sent by another mailbox", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const { domain } = await owned(box);
    expect((await send(other, { from: `x@${domain}` })).status).toBe(403);
  });

  it("to an address of the domain is delivered inside the deployment", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const { body } = await send(box, { from: `a@${domain}`, to: `b@${domain}` });
    expect(body.delivery_status).toBe("delivered");
    const { emails } = (await ask<{ emails: Email[] }>("/v1/inbox?direction=inbound", { key: box.api_key }))
      .body;
    expect(emails).toMatchObject([{ from_address: `a@${domain}`, to_address: `b@${domain}` }]);
  });

  it("answers mail from the address that received it, and never to the domain's own addresses", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const headers = [`To: sales@${domain}, ben@example.net`, `Cc: other@${domain}, ${box.mailbox}`];
    const { body: stored } = await deliver(`sales@${domain}`, plainMessage({ headers }));
    const reply = await ask<Sent>(`/v1/emails/${stored.id}/reply?wait=5`, {
      key: box.api_key,
      json: { text: "Yes.", reply_all: true },
    });
    const sent = await emailOf(box, reply.body.id);
    expect(sent).toMatchObject({ from_address: `sales@${domain}`, to_address: "ann@example.com" });
    expect(sent.delivery.map(({ recipient }) => recipient)).toEqual(["ann@example.com", "ben@example.net"]);
    // A further reply is from the same address by default; the request may name another one.
    const again = await ask<Sent>(`/v1/emails/${reply.body.id}/reply`, {
      key: box.api_key,
      json: { text: "!" },
    });
    expect((await emailOf(box, again.body.id)).from_address).toBe(`sales@${domain}`);
    const named = await ask<Sent>(`/v1/emails/${stored.id}/reply`, {
      key: box.api_key,
      json: { text: "!", from: box.mailbox },
    });
    expect((await emailOf(box, named.body.id)).from_address).toBe(box.mailbox);
  });

  it("is refused after the deployment has moved to that domain", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    await withVariables(box, { MAIL_DOMAIN: domain });
    expect((await send(box, { from: `boss@${domain}` })).status).toBe(403);
  });
});

describe("a verified domain, looked up once a day", () => {
  it("stays verified as long as its records are found", async () => {
    const box = await createMailbox();
    const { id, domain } = await owned(box);
    const before = await holderOf(domain);
    expect(await alarmOf(box.mailbox)).toBeLessThanOrEqual(Date.now() + DAY_MS);
    await recheckAfter(box, DAY_MS + 1);
    expect(await get(box, id)).toMatchObject({ status: "verified", fails_at: null });
    const after = await holderOf(domain);
    expect(after?.since).toBe(before?.since);
    expect((after?.seen_at ?? 0) - (before?.seen_at ?? 0)).toBeGreaterThanOrEqual(DAY_MS);
  });

  it("shows a warning when they are missing, works for a week, and then fails", async () => {
    const box = await createMailbox();
    const { id, domain, dns_records } = await owned(box);
    zone.set("MX", domain);
    await recheckAfter(box, DAY_MS + 1);
    const goneAt = Date.now();
    const warned = await get(box, id);
    expect(warned).toMatchObject({
      status: "verified",
      mx_verified: false,
      dkim_verified: true,
      fails_at: new Date(goneAt + 7 * DAY_MS).toISOString(),
    });
    expect(warned.message).toContain("Its records are gone since");
    for (let day = 1; day < 7; day += 1) {
      await recheckAfter(box, DAY_MS);
      expect([day, (await get(box, id)).status]).toEqual([day, "verified"]);
    }
    expect((await send(box, { from: `x@${domain}` })).status).toBe(200);
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(202);

    await recheckAfter(box, DAY_MS);
    await until(async () => (await holderOf(domain)) === null);
    const lost = await get(box, id);
    expect(lost).toMatchObject({ status: "failed", verified_at: null, fails_at: null });
    expect(lost.message).toContain("is lost");
    const refused = await send(box, { from: `x@${domain}` });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { message: `${domain} is no longer yours: its DNS records are gone` },
    ]);
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(404);
    expect(await tablesOfDomain(domain)).toEqual([]);
    // Nothing is looked up any more until the owner asks for it.
    const asked = zone.asked.length;
    advance(30 * DAY_MS);
    await ringAlarm(box.mailbox);
    expect(zone.asked).toHaveLength(asked);
    zone.publish(dns_records);
    expect((await verify(box, id)).body.status).toBe("verified");
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(202);
  });

  it("can be verified by another mailbox once it has failed, and not before", async () => {
    const [box, next] = [await createMailbox(), await createMailbox()];
    const { domain, dns_records } = await owned(box);
    const theirs = (await add(next, domain)).body;
    zone.set("TXT", dns_records.dkim?.host ?? "");
    zone.publish(theirs.dns_records, ["dkim"]);
    expect((await verify(next, theirs.id)).status).toBe(409);
    await recheckAfter(box, DAY_MS + 1);
    expect((await verify(next, theirs.id)).status).toBe(409);
    await recheckAfter(box, 7 * DAY_MS);
    await until(async () => (await holderOf(domain)) === null);
    expect((await verify(next, theirs.id)).body.status).toBe("verified");
  });

  it("recovers when they come back in time, and the next week starts from the beginning", async () => {
    const box = await createMailbox();
    const { id, domain, dns_records } = await owned(box);
    zone.set("MX", domain);
    await recheckAfter(box, DAY_MS + 1);
    await recheckAfter(box, 5 * DAY_MS);
    zone.publish(dns_records);
    await recheckAfter(box, DAY_MS);
    expect(await get(box, id)).toMatchObject({ status: "verified", fails_at: null });
    zone.set("MX", domain);
    await recheckAfter(box, DAY_MS + 1);
    await recheckAfter(box, 6 * DAY_MS);
    expect(await get(box, id)).toMatchObject({ status: "verified" });
  });

  it("never fails because the resolver does, however long", async () => {
    const box = await createMailbox();
    const { id, domain } = await owned(box);
    zone.broken.add(domain);
    await recheckAfter(box, DAY_MS + 1);
    await recheckAfter(box, 30 * DAY_MS);
    await until(async () => (await get(box, id)).message.includes("Could not be looked up"));
    expect(await get(box, id)).toMatchObject({ status: "verified", fails_at: null, mx_verified: false });
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(202);
    expect(await alarmOf(box.mailbox)).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  });

  it("does not fail when the clock moves backwards", async () => {
    const box = await createMailbox();
    const { id, domain } = await owned(box);
    zone.set("MX", domain);
    await recheckAfter(box, DAY_MS + 1);
    advance(-20 * DAY_MS);
    await verify(box, id);
    const { fails_at } = await get(box, id);
    expect(Date.parse(fails_at ?? "")).toBe(Date.now() + 7 * DAY_MS);
  });

  it("is released later if its object does not answer at once", async () => {
    const box = await createMailbox();
    const { id, domain } = await owned(box);
    zone.set("MX", domain);
    await recheckAfter(box, DAY_MS + 1);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const DOMAIN = { getByName: () => ({ release: () => Promise.reject(new Error("away")) }) };
    await withBindings(box.mailbox, { DOMAIN }, async () => {
      advance(7 * DAY_MS);
      await ringAlarm(box.mailbox);
      await until(async () => (await get(box, id)).status === "failed");
    });
    expect((await send(box, { from: `x@${domain}` })).status).toBe(403);
    expect(await holderOf(domain)).not.toBeNull();
    advance(HOUR_MS + 1);
    await ringAlarm(box.mailbox);
    await until(async () => (await holderOf(domain)) === null);
    expect((await get(box, id)).status).toBe("failed");
  });

  it("stops waiting mail from its addresses once it has failed", async () => {
    const box = await createMailbox();
    const { id, domain } = await owned(box);
    // Nothing leaves the deployment for a while.
    await withVariables(box, { OUTBOUND: "none" });
    const { body } = await ask<Sent>("/v1/send", {
      key: box.api_key,
      json: { from: `x@${domain}`, to: "ann@elsewhere.example", subject: "Hi", text: "Hello." },
    });
    expect(body.status).toBe("queued");
    await remove(box, id);
    await evict(box.mailbox);
    await until(async () => (await emailOf(box, body.id)).status !== "queued");
    expect((await emailOf(box, body.id)).delivery).toMatchObject([
      { status: "failed", diagnostic: "The domain of the sender is no longer verified" },
    ]);
  });
});

describe("a domain that is removed", () => {
  it("can be added by others at once, and its key is erased", async () => {
    const box = await createMailbox();
    const { id, domain } = await owned(box);
    const gone = await remove(box, id);
    expect([gone.status, gone.body]).toEqual([200, { ok: true, deleted: domain }]);
    expect((await remove(box, id)).status).toBe(404);
    expect((await ask<DomainList>("/v1/domains", { key: box.api_key })).body).toEqual({ domains: [] });
    expect(await rowsOf(box.mailbox, "SELECT * FROM domain")).toEqual([]);
    expect(await holderOf(domain)).toBeNull();
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(404);
    expect((await send(box, { from: `x@${domain}` })).status).toBe(403);
  });

  it("because its mailbox ends can be added by others too, and does not belong to a later mailbox with that address", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const pending = (await add(box, newName())).body;
    expect((await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" })).status).toBe(200);
    expect(await holderOf(domain)).toBeNull();
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(404);
    const name = box.mailbox.split("@")[0] ?? "";
    const again = await createMailbox("permanent", name);
    expect(again.mailbox).toBe(box.mailbox);
    expect((await ask<DomainList>("/v1/domains", { key: again.api_key })).body).toEqual({ domains: [] });
    expect((await verify(again, pending.id)).status).toBe(404);
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(404);
  });

  it("because its mailbox ends is released later if its object does not answer at once", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const DOMAIN = { getByName: () => ({ release: () => Promise.reject(new Error("away")) }) };
    await withBindings(box.mailbox, { DOMAIN }, async () => {
      await ask("/v1/mailbox", { key: box.api_key, method: "DELETE" });
    });
    // A mailbox that is being erased accepts no mail.
    expect((await deliver(`x@${domain}`, plainMessage())).status).toBe(404);
    expect(await holderOf(domain)).not.toBeNull();
    advance(60_000);
    await ringAlarm(box.mailbox);
    expect(await holderOf(domain)).toBeNull();
  });

  it.each<[string, (box: TestMailbox, id: string) => Promise<{ status: number }>]>([
    ["alone", remove],
    ["with its mailbox", (box) => ask("/v1/mailbox", { key: box.api_key, method: "DELETE" })],
  ])("%s during a look-up is not taken when the look-up succeeds", async (_, giveUp) => {
    const box = await createMailbox();
    const { id, domain, dns_records } = (await add(box, newName())).body;
    zone.publish(dns_records);
    const held = Promise.withResolvers<void>();
    world.answer = async ({ url }) => {
      await held.promise;
      return Response.json(zone.answer(new URL(url)));
    };
    const checking = verify(box, id);
    await until(() => world.sent.length === 4);
    expect((await giveUp(box, id)).status).toBe(200);
    held.resolve();
    expect((await checking).status).toBe(404);
    expect(await holderOf(domain)).toBeNull();
  });
});

describe("the object of a domain", () => {
  it("has one holder, whom no other mailbox can replace, and only its holder can release it", async () => {
    const object = env.DOMAIN.getByName(newName());
    expect(await object.holder()).toBeNull();
    await object.release("a");
    expect(await object.take("a", 1)).toBe(true);
    expect(await object.take("b", 2)).toBe(false);
    expect(await object.take("a", 3)).toBe(true);
    expect(await object.holder()).toEqual({ locator: "a", since: 1, seen_at: 3 });
    await object.release("b");
    expect(await object.holder()).toEqual({ locator: "a", since: 1, seen_at: 3 });
    await object.release("a");
    expect(await object.holder()).toBeNull();
    expect(await object.take("b", 4)).toBe(true);
    expect(await object.holder()).toEqual({ locator: "b", since: 4, seen_at: 4 });
  });

  it("is called once for a message, and not at all for the deployment's own domain", async () => {
    const box = await createMailbox();
    const { domain } = await owned(box);
    const names: string[] = [];
    const DOMAIN = {
      getByName: (name: string) => {
        names.push(name);
        return env.DOMAIN.getByName(name);
      },
    };
    await deliver(`x@${domain}`, plainMessage(), "a@b.example", { DOMAIN });
    expect(names).toEqual([domain]);
    await deliver(box.mailbox, plainMessage(), "a@b.example", { DOMAIN });
    expect(names).toEqual([domain]);
  });
});

describe("the alarm of a mailbox without a verified domain", () => {
  it("is not set because of domains", async () => {
    const box = await createMailbox();
    await ringAlarm(box.mailbox);
    const { id } = (await add(box, newName())).body;
    await verify(box, id);
    expect(await alarmOf(box.mailbox)).toBeNull();
  });
});
