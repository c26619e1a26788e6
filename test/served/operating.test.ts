import { execFileSync } from "node:child_process";
import { mkdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { LOG_EVENTS } from "../../src/contract/log.ts";
import { Readiness } from "../../src/contract/readiness.ts";
import { METRICS_MEDIA } from "../../src/contract/routes/operation.ts";
import type { MailboxKey } from "./client.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";
import { deliver, SmtpConnection } from "./smtp.ts";

let server: Server;
let box: MailboxKey;
let metricsUrl: string;

beforeAll(async () => {
  server = await Server.start({ env: { LOG_FORMAT: "json", METRICS_PORT: "0", BAD_KEY_LIMIT: "1000" } });
  const ready = z.object({ metrics: z.url() }).parse(JSON.parse(server.process.stdout));
  metricsUrl = ready.metrics;
  box = await server.service.createMailbox();
}, 180_000);
afterAll(() => server.stop());

const readiness = async () => {
  const { status, bytes } = await server.service.call("/readyz");
  return { status, reasons: Readiness.parse(JSON.parse(bytes.toString())).reasons };
};

const scrape = async () => (await fetch(metricsUrl)).text();

/** The value of a series in a text of metrics; null if it is not there. */
function valueOf(text: string, series: string): number | null {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

/** Why this machine cannot judge metrics as Prometheus does; null if it can. */
function whyNoPromtool(): string | null {
  try {
    execFileSync("promtool", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    return "promtool is not installed";
  }
}
const NO_PROMTOOL = whyNoPromtool();

describe("the probes", () => {
  it("say that the server runs, and that it is not ready while its disk refuses a file", async () => {
    const obstacle = path.join(server.dataDir, "disk-probe");
    mkdirSync(obstacle);
    expect((await server.service.call("/livez")).status).toBe(200);
    expect(await readiness()).toEqual({ status: 503, reasons: ["disk_not_writable"] });
    rmdirSync(obstacle);
    await expect.poll(readiness).toEqual({ status: 200, reasons: [] });
  });
});

describe("the metrics", () => {
  const STORED = 'mailkeep_receipts_total{door="smtp",result="stored"}';
  const UNKNOWN = 'mailkeep_refusals_total{door="smtp",reason="unknown_mailbox"}';

  it("count what came by SMTP and what was refused there, without a key on METRICS_PORT", async () => {
    await deliver(server.smtpPort, { from: "a@example.com", to: [box.mailbox], bytes: message() });
    await deliver(server.smtpPort, {
      from: "a@example.com",
      to: ["nobody@mailkeep.test"],
      bytes: message(),
    });
    const text = await scrape();
    expect(valueOf(text, STORED)).toBe(1);
    expect(valueOf(text, UNKNOWN)).toBe(1);
    // The look-up of that recipient is no refused request of a client.
    expect(valueOf(text, 'mailkeep_refusals_total{door="http",reason="not_found"}')).toBeNull();
    expect(valueOf(text, 'mailkeep_receipt_seconds_count{door="smtp"}')).toBe(1);
    expect(valueOf(text, 'mailkeep_smtp_connections_total{result="accepted"}')).toBe(2);
    expect(valueOf(text, "mailkeep_worker_up")).toBe(1);
    expect(valueOf(text, 'mailkeep_process_resident_memory_bytes{process="workerd"}')).toBeGreaterThan(1e6);
  });

  it("are those of the worker alone with the operator key, and are refused without it", async () => {
    const allowed = await server.service.call("/metrics", { key: server.token });
    expect([allowed.status, allowed.headers["content-type"]]).toEqual([200, METRICS_MEDIA]);
    expect(valueOf(allowed.bytes.toString(), STORED)).toBe(1);
    expect(valueOf(allowed.bytes.toString(), "mailkeep_worker_up")).toBeNull();
    expect((await server.service.call("/metrics")).status).toBe(401);
    expect((await server.service.call("/metrics", { key: box.api_key })).status).toBe(403);
  });

  it.skipIf(NO_PROMTOOL !== null)("are accepted by promtool check metrics, both of them", async () => {
    const ofWorker = await server.service.call("/metrics", { key: server.token });
    for (const text of [await scrape(), ofWorker.bytes.toString()]) {
      const said = execFileSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
      expect(said).toBe("");
    }
  });

  it("never go back when workerd dies, and count its restart", async () => {
    expect(await server.killWorkerd()).toBe(true);
    expect(await server.answers()).toBe(true);
    await expect.poll(async () => valueOf(await scrape(), "mailkeep_workerd_restarts_total")).toBe(1);
    const text = await scrape();
    expect(valueOf(text, STORED)).toBe(1);
    expect(valueOf(text, UNKNOWN)).toBe(1);
  });
});

describe("the JSON log", () => {
  const Line = z.strictObject({
    time: z.iso.datetime(),
    level: z.enum(["info", "warning", "error"]),
    event: z.enum(Object.keys(LOG_EVENTS) as [keyof typeof LOG_EVENTS]),
    request_id: z.uuid().optional(),
    method: z.string().optional(),
    route: z.string().optional(),
    status: z.union([z.int(), z.string()]).optional(),
    code: z.string().optional(),
    duration_ms: z.int().optional(),
    message_ids: z.array(z.uuid()).optional(),
    recipients: z.int().optional(),
    bytes: z.int().optional(),
    message: z.string().optional(),
  });
  const lines = () =>
    server.process.stderr
      .split("\n")
      .slice(0, -1)
      .map((line) => Line.parse(JSON.parse(line)));

  it("names each request by its id and its route, and each message by its id", async () => {
    const { headers } = await server.service.call("/v1/inbox", { key: box.api_key });
    const inbox = await server.service.ask<{ emails: { id: string }[] }>("/v1/inbox", { key: box.api_key });
    await expect
      .poll(() => lines().find(({ request_id }) => request_id === headers["x-request-id"]))
      .toMatchObject({ level: "info", event: "request", method: "GET", route: "/v1/inbox", status: 200 });
    expect(lines()).toContainEqual(
      expect.objectContaining({ event: "smtp_message", message_ids: [inbox.body.emails[0]?.id] }),
    );
    expect(lines()).toContainEqual(
      expect.objectContaining({ event: "smtp_refused", code: "unknown_mailbox" }),
    );
  });

  it("holds no address, subject, body or key of any door or refusal", async () => {
    const { service } = server;
    const marked = message({
      from: "Mark <marksender@example.com>",
      subject: "marksubject",
      body: "markbody\n",
    });
    const own = { key: box.api_key };
    for (const to of [box.mailbox, "markunknown@mailkeep.test"]) {
      await deliver(server.smtpPort, { from: "markfrom@example.com", to: [to], bytes: marked });
      await service.call(`/v1/inbound?from=markfrom@example.com&to=${to}`, {
        key: server.token,
        method: "POST",
        body: marked,
      });
    }
    const json = { to: "markto@example.net", subject: "marksubject", text: "markbody" };
    await service.call("/v1/send", { ...own, json });
    await service.call("/v1/send", { ...own, json: { ...json, to: box.mailbox } });
    await service.call("/v1/send", { ...own, json: { ...json, from: "markwrong@example.net" } });
    await service.call("/v1/send", { key: `markkey${"0".repeat(40)}`, json });
    await service.call("/v1/search?q=marksubject", own);
    await service.call("/v1/mailboxes/markunknown@mailkeep.test", { key: server.token });
    await service.call("/v1/markpath?mailbox=markother@mailkeep.test", own);
    await service.call("/markpage/markpage");
    await service.call("/v1/mailbox", {
      ...own,
      method: "PATCH",
      json: { webhook_url: "http://markhost.example/markurl" },
    });
    await service.call("/mcp", { ...own, json: { jsonrpc: "2.0", id: 1, method: "markmethod" } });
    const last = await service.call("/health");
    await expect
      .poll(() => lines().some(({ request_id }) => request_id === last.headers["x-request-id"]))
      .toBe(true);
    const found = server.process.stderr.split("\n").filter((line) => /mark(?!down)/i.test(line));
    expect(found).toEqual([]);
    expect(server.process.stderr).not.toContain(box.api_key);
    expect(server.process.stderr).not.toContain(box.mailbox);
    expect(server.process.stderr).not.toContain(server.token);
    expect(await scrape()).not.toMatch(/mark|@/i);
  });
});

it("is not ready while it finishes its work, and says so", async () => {
  const connection = await SmtpConnection.open(server.smtpPort);
  await connection.say("MAIL FROM:<a@example.com>");
  await connection.say(`RCPT TO:<${box.mailbox}>`);
  expect(await connection.say("DATA")).toMatch(/^354/);
  const stopped = server.stop();
  await expect.poll(readiness).toEqual({ status: 503, reasons: ["draining"] });
  connection.write(message());
  expect(await connection.say(".")).toMatch(/^250/);
  expect(await stopped).toEqual({ code: 0, signal: null });
});
