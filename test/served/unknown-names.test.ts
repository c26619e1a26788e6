import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inParallel } from "./client.ts";
import { Server } from "./server.ts";
import { deliver } from "./smtp.ts";

const CLASSES = ["Mailbox", "Domain", "ClaimSession", "ClientBudget"];
const EACH = 25;

let server: Server;

beforeAll(async () => {
  server = await Server.start({ env: { BAD_KEY_LIMIT: "1000000", TRUST_CLIENT_ADDRESS: "true" } });
}, 180_000);
afterAll(() => server.stop());

/** Number of Durable Objects with stored data, by class. */
async function objects(): Promise<Record<string, number>> {
  const counts = CLASSES.map(async (name): Promise<[string, number]> => {
    const files = await readdir(path.join(server.dataDir, "do", `mailkeep-${name}`)).catch(() => []);
    return [name, files.filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file)).length];
  });
  return Object.fromEntries(await Promise.all(counts));
}

const hex = (): string => crypto.randomUUID().replaceAll("-", "");
const key = (): string => `mk_${hex()}${hex()}`;
const code = (): string => {
  const letters = Array.from({ length: 8 }, () => "BCDFGHJKLMNPQRSTVWXZ"[Math.floor(Math.random() * 20)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
};
const bytes = Buffer.from("Subject: x\r\n\r\nx\r\n");

/** Requests of strangers that name an object. */
const strangers: Record<string, () => Promise<unknown>> = {
  "RCPT TO an invented address": async () => {
    const { rcpt } = await deliver(server.smtpPort, {
      from: "a@b.example",
      to: [`${hex()}@mailkeep.test`],
      bytes,
    });
    return Number(rcpt[0]?.slice(0, 3));
  },
  "RCPT TO an invented domain": async () => {
    const { rcpt } = await deliver(server.smtpPort, {
      from: "a@b.example",
      to: [`x@${hex()}.example`],
      bytes,
    });
    return Number(rcpt[0]?.slice(0, 3));
  },
  "a message for invented addresses": async () => {
    const query = `to=${hex()}@mailkeep.test&to=x@${hex()}.example`;
    const { body } = await server.service.ask<{ recipients: { status: number }[] }>(`/v1/inbound?${query}`, {
      key: server.token,
      method: "POST",
      body: bytes,
    });
    return body.recipients.map(({ status }) => status);
  },
  "an invented key": async () => (await server.service.call("/v1/inbox", { key: key() })).status,
  "an invented key on no route": async () =>
    (await server.service.call("/v1/nothing", { key: key() })).status,
  "an invented key that is to be kept": async () => {
    const json = { name: `n${hex()}`, keep_mail: true };
    return (await server.service.call("/v1/claim/start", { key: key(), json })).status;
  },
  "an invented session of a claim": async () =>
    (await server.service.call(`/v1/claim/poll?session=${crypto.randomUUID()}`)).status,
};

it.each([
  ["RCPT TO an invented address", 550],
  ["RCPT TO an invented domain", 550],
  ["a message for invented addresses", [404, 404]],
  ["an invented key", 401],
  ["an invented key on no route", 401],
  ["an invented key that is to be kept", 401],
  ["an invented session of a claim", 404],
])("makes no object of %s", async (name, answer) => {
  const before = await objects();
  const answers = await inParallel(Array.from({ length: EACH }), 5, async () => strangers[name]?.());
  expect(answers).toEqual(Array.from({ length: EACH }, () => answer));
  expect(await objects()).toEqual(before);
});

it("accepts a query as long as the SMTP listener sends for many recipients", async () => {
  const label = "\u5b57".repeat(15);
  const recipients = Array.from({ length: 100 }, (_, n) => `x${n}@${label}.${label}.${label}.${label}.test`);
  const query = new URLSearchParams(recipients.map((to) => ["to", to])).toString();
  expect(query.length).toBeGreaterThan(55_000);
  const { status, body } = await server.service.ask<{ recipients: { to: string; status: number }[] }>(
    `/v1/inbound?${query}`,
    { key: server.token, method: "POST", body: bytes },
  );
  expect([status, body.recipients.map(({ to }) => to)]).toEqual([202, recipients]);
});

it("stores only the two counters for an invented claim code: of the client and of all clients", async () => {
  const before = await objects();
  const ask = () =>
    server.service.call(`/claim?code=${code()}`, { headers: { "CF-Connecting-IP": "192.0.2.1" } });
  await inParallel(Array.from({ length: EACH }), 5, ask);
  const { ClientBudget = 0, ...others } = before;
  expect(await objects()).toEqual({ ...others, ClientBudget: ClientBudget + 2 });
});

it("stores nothing for an Idempotency-Key of a refused bootstrap", async () => {
  const strict = await Server.start({ env: { BOOTSTRAP_PER_HOUR: "0" } });
  const ask = () =>
    strict.service.call("/v1/bootstrap", { method: "POST", headers: { "Idempotency-Key": hex() } });
  const answers = await inParallel(Array.from({ length: EACH }), 5, ask);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  const files = await readdir(path.join(strict.dataDir, "do", "mailkeep-Mailbox")).catch(() => []);
  expect(files.filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))).toEqual([]);
  await strict.stop();
}, 180_000);

it("counts wrong keys by client without an object for each client", async () => {
  const strict = await Server.start({ env: { BAD_KEY_LIMIT: "2", TRUST_CLIENT_ADDRESS: "true" } });
  const ask = async (client: string) =>
    (await strict.service.call("/v1/inbox", { key: key(), headers: { "CF-Connecting-IP": client } })).status;
  expect([await ask("192.0.2.1"), await ask("192.0.2.1"), await ask("192.0.2.1")]).toEqual([401, 401, 429]);
  expect(await ask("192.0.2.2")).toBe(401);
  const files = await readdir(path.join(strict.dataDir, "do", "mailkeep-ClientBudget")).catch(() => []);
  expect(files.filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file))).toEqual([]);
  await strict.stop();
}, 180_000);

it("finds a mailbox as soon as it is created, after a crash and after a start", async () => {
  const { dataDir } = server;
  const made = await server.service.bootstrap();
  // This address is requested before the mailbox is created; the 404 must not be cached.
  const name = `late-${hex().slice(0, 8)}`;
  const mail = { from: "a@b.example", to: [`${name}@mailkeep.test`, made.mailbox], bytes };
  expect((await deliver(server.smtpPort, mail)).rcpt.map((reply) => reply.slice(0, 3))).toEqual([
    "550",
    "250",
  ]);
  await server.service.ask("/v1/mailboxes", { key: server.token, json: { name } });
  const isFound = async () => {
    const replies = await deliver(server.smtpPort, mail);
    expect([replies.rcpt.map((reply) => reply.slice(0, 3)), replies.data?.slice(0, 3)]).toEqual([
      ["250", "250"],
      "250",
    ]);
    expect((await server.service.call("/v1/inbox", { key: made.api_key })).status).toBe(200);
  };
  await isFound();
  await server.killWorkerd();
  await server.answers();
  await isFound();
  const { process: running } = server;
  await running.end("SIGINT");
  server = await Server.start({ dataDir });
  await isFound();
});
