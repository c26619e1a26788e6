import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ChangePage } from "../../src/contract/event.ts";
import { lastAfterRestore } from "../../src/lib/log-numbers.ts";
import { RESTORE_MARK } from "../../src/host/backup/mark.ts";
import { say, SmtpPeer } from "../transport/smtp-peer.ts";
import type { MailboxKey } from "./client.ts";
import { filler, message } from "./messages.ts";
import { isTried, reading, send, statuses } from "./outgoing.ts";
import { bareEnvironment, ServeProcess, Server } from "./server.ts";

/** A message of this size is stored as a file of the bucket. */
const LARGE_BYTES = 700_000;
const ROOT = path.resolve(import.meta.dirname, "../..");

let relay: SmtpPeer;
let folder: string;
let server: Server;

beforeAll(async () => {
  relay = await SmtpPeer.start();
  // The host is there, but takes nothing yet.
  relay.plan.on = { RCPT: say("450 4.2.0 later") };
  folder = await mkdtemp(path.join(tmpdir(), "mailkeep-backup-"));
  server = await serve("data");
}, 120_000);

afterAll(async () => {
  await server.stop();
  relay.stop();
  await rm(folder, { recursive: true, force: true });
});

function serve(name: string): Promise<Server> {
  return Server.start({ dataDir: path.join(folder, name), env: { SMTP_URL: relay.url() } });
}

/** Runs a command of `mailkeep-server`; resolves to its JSON, and rejects unless it exits with 0. */
function command(name: string, dataDir: string): Promise<Record<string, unknown>> {
  const child = spawn(
    process.execPath,
    ["test/served/server-command.ts", name, path.join(folder, "backup")],
    {
      cwd: ROOT,
      env: bareEnvironment({ DATA_DIR: path.join(folder, dataDir) }),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => void (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => void (stderr += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(stdout));
      else reject(new Error(`${name} exited with ${code}: ${stderr}`));
    });
  });
}

/** Everything that the API shows of a mailbox. */
async function readAll({ service }: Server, { api_key }: MailboxKey) {
  const inbox = await service.inbox(api_key);
  const raws = await Promise.all(inbox.map(({ id }) => service.raw(api_key, id)));
  return { inbox, raws, threads: await service.threads(api_key) };
}

/** Receives mail, a third of it large, and deletes every second message, until `isOver`. Resolves to the ids that stay. */
async function work({ service }: Server, { mailbox, api_key }: MailboxKey, isOver: () => boolean) {
  const kept: string[] = [];
  for (let turn = 0; !isOver() || turn < 6; turn += 1) {
    const body = turn % 3 === 0 ? filler(LARGE_BYTES, `turn ${turn}`) : `turn ${turn}\n`;
    const { status, body: stored } = await service.handOver(
      mailbox,
      message({ subject: `turn ${turn}`, body }),
    );
    expect(status).toBe(202);
    if (turn % 2 === 0) kept.push(stored.id);
    else await service.mail(api_key).emails.delete(stored.id);
  }
  return kept;
}

it("brings a server back that was backed up while it worked", async () => {
  const { service } = server;
  const quiet = await service.createMailbox();
  for (const [subject, body] of [
    ["Your code", "Your verification code is 482913.\n"],
    ["Large", filler(LARGE_BYTES)],
  ] as const)
    expect((await service.handOver(quiet.mailbox, message({ subject, body }))).status).toBe(202);
  const { body: sent } = await send(service, quiet, { to: "ann@elsewhere.example" });
  await reading(service, quiet, sent.id, isTried);
  const busy = await Promise.all([service.createMailbox(), service.createMailbox()]);
  const before = await readAll(server, quiet);
  const { last_seq: last } = await service.get<ChangePage>("/v1/changes", quiet.api_key);

  let isOver = false;
  const working = Promise.all(busy.map((box) => work(server, box, () => isOver)));
  expect(await command("backup", "data")).toMatchObject({ mailboxes: 3, missing_blobs: [] });
  isOver = true;
  const stayed = await working;
  expect(await command("backup", "data")).toMatchObject({ mailboxes: 3, missing_blobs: [] });
  expect(await command("verify", "data")).toMatchObject({ snapshots: 2, contents_checked: true, faults: [] });
  const busyBefore = await Promise.all(busy.map((box) => readAll(server, box)));
  await server.stop();

  expect(await command("restore", "restored")).toMatchObject({ mailboxes: 3, uncertain_sends: 1 });
  writeFileSync(
    path.join(folder, "restored/secrets.json"),
    JSON.stringify({ auth_token: server.token, webhook_secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }),
  );
  relay.plan.on = {};
  server = await serve("restored");

  // The message that was waiting may have been sent after the backup, so nobody sends it again.
  const inbox = before.inbox.map((email) => (email.id === sent.id ? { ...email, status: "unknown" } : email));
  expect(await readAll(server, quiet)).toEqual({ ...before, inbox });
  for (const [at, box] of busy.entries()) {
    const read = await readAll(server, box);
    expect(read).toEqual(busyBefore[at]);
    expect(new Set(read.inbox.map(({ id }) => id))).toEqual(new Set(stayed[at]));
  }
  const uncertain = await server.service.email(quiet.api_key, sent.id);
  expect(statuses(uncertain)).toEqual({ ann: "unknown" });
  expect(uncertain.delivery[0]?.diagnostic).toContain("restored from the backup of");
  const { body: next } = await send(server.service, quiet, { to: "ben@elsewhere.example" }, { wait: 30 });
  expect([next.delivery_status, relay.taken.length]).toEqual(["sent", 1]);

  const goesOnAfter = lastAfterRestore(last);
  const { body: refused } = await server.service.ask(`/v1/changes?after=${last}`, { key: quiet.api_key });
  expect(refused).toMatchObject({ code: "gone", oldest_seq: goesOnAfter + 1 });
  const { events } = await server.service.get<ChangePage>(`/v1/changes?after=${goesOnAfter}`, quiet.api_key);
  expect(events.map(({ seq, prev_seq }) => [seq, prev_seq])).toEqual([[goesOnAfter + 1, goesOnAfter]]);
  const listed = await server.service.get<{ mailboxes: { mailbox: string }[] }>(
    "/v1/mailboxes",
    server.token,
  );
  expect(listed.mailboxes.map(({ mailbox }) => mailbox).toSorted()).toEqual(
    [quiet, ...busy].map(({ mailbox }) => mailbox).toSorted(),
  );
}, 120_000);

it("starts no server on a folder whose restore is incomplete", async () => {
  const dataDir = path.join(folder, "half");
  expect(await command("restore", "half")).toMatchObject({ mailboxes: 3 });
  writeFileSync(path.join(dataDir, RESTORE_MARK), "");
  const half = new ServeProcess({ dataDir });
  expect(await half.exited).toEqual({ code: 1, signal: null });
  expect(half.stderr).toContain("holds an incomplete restore");
  expect(await readdir(dataDir)).not.toContain("spool");
});
