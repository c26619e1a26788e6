import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SmallDisk } from "../../scripts/soak/disk.ts";
import type { Ask, MailboxKey } from "./client.ts";
import { filler, message } from "./messages.ts";
import { Server } from "./server.ts";

const parent = mkdtempSync(path.join(tmpdir(), "mailkeep-full-"));
/** Mounting it needs root. */
const disk = SmallDisk.open(parent, 120);

let server: Server;
let box: MailboxKey;
/** A mail that is there before the disk is full. */
let id = "";

beforeAll(async () => {
  if (disk.kind === null) return;
  server = await Server.start({ dataDir: disk.folder, env: { OUTBOUND: "local" } });
  box = await server.service.createMailbox();
  id = (await server.service.handOver(box.mailbox, mail("first", 10))).body.id;
  const webhook = { webhook_url: "https://hook.example/x" };
  await server.service.ask("/v1/mailbox", { key: box.api_key, method: "PATCH", json: webhook });
});

afterAll(async () => {
  if (disk.kind !== null) {
    disk.free();
    await server.stop();
    disk.close();
  }
  rmSync(parent, { recursive: true, force: true });
});

const mail = (name: string, size: number): Buffer =>
  message({ subject: name, messageId: `<${name}@full.example>`, body: filler(size, name) });
const TEXT = "x".repeat(200_000);
const bytes = (body: Buffer, type: string): Ask => ({ body, headers: { "Content-Type": type } });
const mbox = (name: string, size: number): Ask =>
  bytes(
    Buffer.concat([Buffer.from("From a@b Thu Jan  1 00:00:00 2026\n"), mail(name, size)]),
    "application/mbox",
  );
const tool = (name: string, input: object): Ask => ({
  json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
  headers: { Accept: "application/json, text/event-stream" },
});

/** Every call that writes: who calls, method, path and body. */
const WRITES: [caller: "mailbox" | "operator" | "nobody", call: string, ask: () => Ask][] = [
  ["nobody", "POST /v1/bootstrap", () => ({})],
  ["nobody", "POST /v1/claim/start", () => ({ json: { name: "claimed" } })],
  ["mailbox", "POST /v1/send", () => ({ json: { to: box.mailbox, subject: "a", text: TEXT } })],
  ["mailbox", "POST /v1/emails/ID/reply", () => ({ json: { text: TEXT } })],
  ["mailbox", "POST /v1/emails/ID/forward", () => ({ json: { to: "b@c.example", text: TEXT } })],
  ["mailbox", "PATCH /v1/emails/ID", () => ({ json: { add_labels: ["a", "b", "c"] } })],
  ["mailbox", "POST /v1/attachments?filename=a.bin", () => bytes(Buffer.alloc(1_000_000), "application/x-a")],
  ["mailbox", "POST /v1/import?format=mbox", () => mbox("imported", 900_000)],
  ["mailbox", "POST /v1/expect", () => ({ json: { from_domain: "x.example", strict: false } })],
  ["mailbox", "POST /v1/keys", () => ({})],
  ["mailbox", "POST /v1/totp", () => ({ json: { label: "x", secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" } })],
  ["mailbox", "POST /v1/domains", () => ({ json: { domain: "d.example" } })],
  [
    "mailbox",
    "PUT /v1/mailbox/rules",
    () => ({ json: { receive: { mode: "everyone", allow: [], block: [] } } }),
  ],
  ["mailbox", "PUT /v1/mailbox/routes", () => ({ json: { label: "a", webhook_url: "https://r.example/x" } })],
  ["mailbox", "PATCH /v1/mailbox", () => ({ json: { display_name: "New" } })],
  ["mailbox", "PATCH /v1/mailbox/pause", () => ({})],
  ["mailbox", "PATCH /v1/mailbox/resume", () => ({})],
  ["mailbox", "PATCH /v1/mailbox/seen", () => ({ json: { seen: ["ID"] } })],
  ["mailbox", "POST /v1/webhook/test", () => ({})],
  ["mailbox", "POST /v1/webhook/replay", () => ({ json: { from_seq: 1 } })],
  [
    "operator",
    "POST /v1/inbound?from=a@b.example&to=BOX",
    () => bytes(mail("small", 100_000), "message/rfc822"),
  ],
  [
    "operator",
    "POST /v1/inbound?from=a@b.example&to=BOX",
    () => bytes(mail("large", 3_000_000), "message/rfc822"),
  ],
  ["operator", "POST /v1/mailboxes", () => ({ json: { name: "fresh", kind: "permanent" } })],
  ["operator", "POST /v1/claim/auto", () => ({ json: { name: "auto" } })],
  ["operator", "PATCH /v1/mailboxes/BOX/pause", () => ({})],
  ["operator", "PATCH /v1/mailboxes/BOX/resume", () => ({})],
  ["operator", "PATCH /v1/sending/halt", () => ({ json: { reason: "x" } })],
  ["operator", "PATCH /v1/sending/resume", () => ({})],
  ["mailbox", "DELETE /v1/emails/ID", () => ({})],
  ["mailbox", "DELETE /v1/mailbox", () => ({})],
];

/** Calls that have no room in what the databases hold already. */
const NEVER_STORED = /bootstrap|claim|send$|reply|forward|attachments|import|inbound|mailboxes$/;

describe.skipIf(disk.kind === null)("while the disk is full", () => {
  beforeAll(() => disk.fill());

  it.each(WRITES)("the %s gets 503 with the next step, or a success: %s", async (caller, call, ask) => {
    const [method = "", target = ""] = call.replace("ID", id).replace("BOX", box.mailbox).split(" ");
    const key = { mailbox: box.api_key, operator: server.token, nobody: undefined }[caller];
    const input = ask();
    const answer = await server.service.ask<{ fix?: string; retryable?: boolean }>(target, {
      ...input,
      ...(input.json !== undefined && { json: JSON.parse(JSON.stringify(input.json).replace("ID", id)) }),
      ...(key !== undefined && { key }),
      method,
    });
    if (answer.status < 300 && !NEVER_STORED.test(target.replace(/\?.*/, ""))) return;
    expect(answer.status).toBe(503);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(30);
    expect(answer.body).toMatchObject({ retryable: true, fix: expect.stringMatching(/^Wait \d+ s, then/) });
  });

  it("tools of MCP say the same", async () => {
    const send = tool("send_mail", { to: box.mailbox, subject: "a", text: TEXT });
    const { body } = await server.service.ask<{ result: { structuredContent: object } }>("/mcp", {
      ...send,
      key: box.api_key,
      method: "POST",
    });
    expect(body.result.structuredContent).toMatchObject({
      code: "unavailable",
      retryable: true,
      retry_after_seconds: 60,
    });
  });

  it("mail is readable, and everything works again when there is room", async () => {
    expect((await server.service.email(box.api_key, id)).subject).toBe("first");
    disk.free();
    expect((await server.service.bootstrap()).mailbox).toContain("@");
    const sent = await server.service
      .mail(box.api_key)
      .send({ to: box.mailbox, subject: "again", text: TEXT });
    expect(sent.id).not.toBe("");
  });
});

describe.skipIf(disk.kind === null)("while the disk has room for rows, but not for files", () => {
  beforeAll(() => {
    const reserve = path.join(disk.folder, "reserve");
    writeFileSync(reserve, Buffer.alloc(2_000_000, 1));
    disk.fill();
    rmSync(reserve);
  });

  it.each([
    [
      "an upload",
      "/v1/attachments?filename=a.bin",
      () => bytes(Buffer.alloc(8_000_000, 1), "application/x-a"),
    ],
    ["an archive to import", "/v1/import?format=mbox", () => mbox("archive", 8_000_000)],
    [
      "a message",
      "/v1/send",
      () => ({
        json: {
          to: box.mailbox,
          subject: "a",
          text: "a",
          attachments: [{ filename: "a", content: "A".repeat(8_000_000) }],
        },
      }),
    ],
  ])("%s gets 503 with the next step", async (_, target, ask) => {
    const answer = await server.service.ask(target, { ...(ask() as Ask), key: box.api_key, method: "POST" });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ retryable: true, fix: "Wait 30 s, then repeat the call." });
    expect(answer.headers["retry-after"]).toBe("30");
  });
});
