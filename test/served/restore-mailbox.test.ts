import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ChangePage } from "../../src/contract/event.ts";
import { STAGING_FOLDER } from "../../src/host/backup/mailbox-swap.ts";
import { lastAfterRestore } from "../../src/lib/log-numbers.ts";
import { say, SmtpPeer } from "../transport/smtp-peer.ts";
import type { MailboxKey } from "./client.ts";
import { filler, message, newMessageId } from "./messages.ts";
import { isTried, reading, send } from "./outgoing.ts";
import { bareEnvironment, endOrphan, Server } from "./server.ts";
import { SmtpConnection } from "./smtp.ts";
import { Target } from "./target.ts";

/** A message of this size is stored as a file of the bucket. */
const LARGE_BYTES = 700_000;
const ROOT = path.resolve(import.meta.dirname, "../..");

let relay: SmtpPeer;
let target: Target;
let folder: string;
let server: Server;

beforeAll(async () => {
  [relay, target] = await Promise.all([SmtpPeer.start(), Target.start()]);
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-restore-"));
  server = await serve();
}, 120_000);

afterAll(async () => {
  await server.stop();
  await target.stop();
  relay.stop();
  await rm(folder, { recursive: true, force: true });
});

function serve(): Promise<Server> {
  const env = { SMTP_URL: relay.url(), ALLOW_PRIVATE_WEBHOOKS: "true" };
  return Server.start({ dataDir: path.join(folder, "data"), env });
}

interface Ended {
  code: number | null;
  json: Record<string, unknown> | null;
  stderr: string;
}

/** Runs a command of `mailkeep-server` on the data folder of the running server. */
function command(...words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ["test/served/server-command.ts", ...words], {
    cwd: ROOT,
    env: bareEnvironment({ DATA_DIR: path.join(folder, "data") }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => void (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => void (stderr += bytes.toString()));
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, json: stdout === "" ? null : JSON.parse(stdout), stderr }));
  });
}

const restore = (box: MailboxKey, ...more: readonly string[]): Promise<Ended> =>
  command("restore", path.join(folder, "backup"), "--mailbox", box.mailbox, ...more);

async function receive(box: MailboxKey, subject: string, body: string | Buffer = "text\n"): Promise<void> {
  const { status } = await server.service.handOver(box.mailbox, message({ subject, body }));
  expect(status).toBe(202);
}

/** Subjects and bytes of all mail of a mailbox, the newest first. */
async function contents({ api_key }: MailboxKey): Promise<{ subjects: string[]; raws: Buffer[] }> {
  const inbox = await server.service.inbox(api_key);
  const raws = await Promise.all(inbox.map(({ id }) => server.service.raw(api_key, id)));
  return { subjects: inbox.map(({ subject }) => subject), raws };
}

/** The names of the files of large messages. */
const storedFiles = (): string[] =>
  readdirSync(path.join(folder, "data/r2"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /blobs\/./.test(name),
  );

/** Sends mail over one SMTP connection after the other until `isOver`; resolves to the ids of what was accepted, and all replies. */
async function keepSending({ mailbox: to }: MailboxKey, isOver: () => boolean) {
  const accepted: string[] = [];
  const refused: string[] = [];
  while (!isOver()) {
    const connection = await SmtpConnection.open(server.smtpPort);
    const messageId = newMessageId();
    const bytes = message({ subject: "meanwhile", messageId });
    const { data, rcpt } = await connection.deliver({ from: "ann@elsewhere.example", to: [to], bytes });
    if (data?.startsWith("250")) accepted.push(messageId);
    else refused.push(`${rcpt.join()} ${data}`);
    connection.drop();
  }
  return { accepted, refused };
}

it("puts one mailbox back while the server runs: mail for others is neither refused nor lost, and nothing is sent or delivered twice", async () => {
  const { service } = server;
  const [box, other, quiet] = await Promise.all([1, 2, 3].map(() => service.createMailbox()));
  if (box === undefined || other === undefined || quiet === undefined) throw new Error("no mailboxes");
  await service.call("/v1/mailbox", {
    key: box.api_key,
    method: "PATCH",
    json: { webhook_url: target.url("/box") },
  });
  await receive(box, "small");
  await receive(box, "large", filler(LARGE_BYTES, "kept"));
  await target.heard("/box", 2);
  relay.plan.on = { RCPT: say("450 4.2.0 later") };
  const { body: sent } = await send(service, box, { to: "ann@elsewhere.example" });
  await reading(service, box, sent.id, isTried);
  const before = await contents(box);
  expect((await command("backup", path.join(folder, "backup"))).code).toBe(0);

  await receive(box, "after the backup");
  await receive(box, "large after the backup", filler(LARGE_BYTES, "lost"));
  await target.heard("/box", 4);
  const files = storedFiles().length;
  expect(await restore(box)).toMatchObject({ code: 2, json: null });

  let isOver = false;
  const sending = keepSending(other, () => isOver);
  const waiting = service.ask<ChangePage>("/v1/changes?wait=50", { key: quiet.api_key });
  const { code, json, stderr } = await restore(box, "--replace");
  expect([code, stderr]).toEqual([0, expect.stringContaining('"unknown"')]);
  expect(json).toMatchObject({ mailboxes: 1, blobs: 1, uncertain_sends: 1, paused_ms: expect.any(Number) });
  await pause(200);
  isOver = true;
  const { accepted, refused } = await sending;
  expect(refused).toEqual([]);
  expect(await waiting).toMatchObject({ status: 200, body: { events: [] } });

  expect(await contents(box)).toEqual(before);
  expect((await service.inbox(other.api_key)).length).toBe(accepted.length);
  expect(storedFiles().length).toBe(files - 1);
  expect(readdirSync(path.join(folder, "data"))).not.toContain(STAGING_FOLDER);
  relay.plan.on = {};
  await receive(box, "new");
  const hooks = await target.heard("/box", 5);
  expect(new Set(hooks.map(({ headers }) => headers["webhook-id"])).size).toBe(5);
  // Numbers of after the backup were seen: they are refused, and no new event has one.
  for (const after of [2, 4]) {
    const { status, body } = await service.ask(`/v1/changes?after=${after}`, { key: box.api_key });
    expect([status, body]).toMatchObject([410, { oldest_seq: lastAfterRestore(2) + 1 }]);
  }
  const { events } = await service.get<ChangePage>(`/v1/changes?after=${lastAfterRestore(2)}`, box.api_key);
  expect(events).toMatchObject([{ seq: lastAfterRestore(2) + 1, prev_seq: lastAfterRestore(2) }]);
  expect(relay.taken).toEqual([]);
}, 120_000);

it("brings back a mailbox that was deleted, and replaces one twice with log numbers that always rise", async () => {
  const { service } = server;
  const box = await service.createMailbox();
  await receive(box, "kept");
  const last = async (): Promise<number> =>
    (await service.get<{ last_seq: number }>("/v1/inbox?limit=1", box.api_key)).last_seq;
  expect((await command("backup", path.join(folder, "backup"), "--mailbox", box.mailbox)).code).toBe(0);
  await service.call("/v1/mailbox", { key: box.api_key, method: "DELETE" });
  expect(await restore(box)).toMatchObject({ code: 0, json: { mailboxes: 1 } });
  expect((await contents(box)).subjects).toEqual(["kept"]);
  await receive(box, "first");
  const first = await last();
  expect(await restore(box, "--replace")).toMatchObject({ code: 0 });
  await receive(box, "second");
  expect((await contents(box)).subjects).toEqual(["second", "kept"]);
  expect(await last()).toBeGreaterThan(first);
}, 120_000);

it("loses no count of the metrics when the runtime ends for the swap", async () => {
  const { service } = server;
  const box = await service.createMailbox();
  expect((await command("backup", path.join(folder, "backup"), "--mailbox", box.mailbox)).code).toBe(0);
  const before = await service.counted("mailkeep_receipts_total");
  // A scrape has just taken all counts, and the next ones are handed over 25 s later.
  for (let n = 0; n < 20; n += 1) await receive(box, "counted");
  expect(await restore(box, "--replace")).toMatchObject({ code: 0 });
  expect(await service.counted("mailkeep_receipts_total")).toBe(before + 20);
}, 120_000);

it("has the old mailbox or the restored one, whole, after a kill of the server at any moment", async () => {
  const box = await server.service.createMailbox();
  await receive(box, "old", filler(LARGE_BYTES, "old"));
  const old = await contents(box);
  expect((await command("backup", path.join(folder, "backup"), "--mailbox", box.mailbox)).code).toBe(0);
  await receive(box, "newer", filler(LARGE_BYTES, "newer"));
  const newer = await contents(box);
  for (const delayMs of [0, 100]) {
    const restoring = restore(box, "--replace");
    const folders = (): string[] => readdirSync(path.join(folder, "data"));
    while (!folders().includes(STAGING_FOLDER)) await pause(2);
    await pause(delayMs);
    const orphan = await server.abandon();
    endOrphan(orphan);
    await restoring;
    server = await serve();
    const now = await contents(box);
    expect([old, newer]).toContainEqual(now);
  }
  expect((await restore(box, "--replace")).code).toBe(0);
  expect(await contents(box)).toEqual(old);
}, 120_000);
