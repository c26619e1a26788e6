import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { EmailSummary } from "../../src/contract/message.ts";
import { SmtpPeer } from "../transport/smtp-peer.ts";
import type { MailboxKey } from "./client.ts";
import { filler, message } from "./messages.ts";
import { copies, messageIdOf, reading, send, statuses } from "./outgoing.ts";
import { makeDataDir, removeDataDir, Server } from "./server.ts";
import { SmtpConnection } from "./smtp.ts";
import { TRACE_ARGUMENTS, TracedDisk } from "./traced-disk.ts";

/** A message of this size is stored in the blob store. */
const LARGE_BYTES = 700_000;
/** A streamed file of this size is stored in parts; the threshold is 5 MiB. */
const PARTS_BYTES = 6_000_000;

/** Why this machine cannot trace what a server syncs; null if it can. */
function whyNot(): string | null {
  try {
    execFileSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"], { stdio: "ignore" });
    return null;
  } catch {
    return "strace is not installed, or may not trace here";
  }
}

/** A message with an attachment; a large one is stored in a blob of its own. */
function mailOf(subject: string, bytes: number): Buffer {
  const part = filler(bytes, subject).toString("latin1");
  const text = `--b\r\nContent-Type: text/plain\r\n\r\n${subject}`;
  const fields = "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin";
  const body = `${text}\r\n--b\r\n${fields}\r\n\r\n${part}\r\n--b--\r\n`;
  const headers = ["MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b"];
  return message({ subject, headers, body: Buffer.from(body, "latin1") });
}

interface Kept {
  box: MailboxKey;
  bytes: Buffer;
}

/** Expects that the only message of a mailbox is listed, and comes back with its attachment. */
async function expectKept({ service }: Server, { api_key: key }: MailboxKey, bytes: Buffer): Promise<void> {
  const { emails } = await service.get<{ emails: EmailSummary[] }>("/v1/inbox", key);
  const [email] = emails;
  expect(emails).toHaveLength(1);
  const raw = await service.call(`/v1/emails/${email?.id}/raw`, { key });
  expect([raw.status, raw.bytes.equals(bytes)]).toEqual([200, true]);
  const read = await service.get<{ attachments: { id: string; size_bytes: number }[] }>(
    `/v1/emails/${email?.id}`,
    key,
  );
  const [attachment] = read.attachments;
  const part = await service.call(`/v1/attachments/${attachment?.id}`, { key });
  expect([part.status, part.bytes.length]).toEqual([200, attachment?.size_bytes]);
}

/** A server whose system calls are traced. */
async function tracedServer(env: Record<string, string> = {}) {
  const temp = await mkdtemp(path.join(tmpdir(), "mailkeep-power-"));
  const [dataDir, log] = [await makeDataDir(), path.join(temp, "trace")];
  onTestFinished(async () => {
    await removeDataDir(dataDir);
    await rm(temp, { recursive: true, force: true });
  });
  const server = await Server.start({ dataDir, env, through: ["strace", ...TRACE_ARGUMENTS, "-o", log] });
  /** Starts another server on the data that the disk has if the power fails at `ms`. */
  const startedAfterLoss = async (ms: number, settings: Record<string, string> = {}): Promise<Server> => {
    const folder = path.join(temp, `cut-${ms}`);
    await (await TracedDisk.at(log, dataDir, ms)).writeTo(folder);
    return Server.start({ dataDir: folder, env: settings });
  };
  return { server, log, startedAfterLoss };
}

const reason = whyNot();
const skipped = reason === null ? "" : ` (skipped: ${reason})`;

it.skipIf(reason !== null)(
  `a power loss loses nothing that was acknowledged${skipped}`,
  { timeout: 480_000 },
  async () => {
    const { server, log, startedAfterLoss } = await tracedServer();
    // A mailbox for each message, because a later write in the same mailbox would sync the earlier one.
    const boxes = [
      await server.service.createMailbox(),
      await server.service.createMailbox(),
      await server.service.createMailbox(),
    ] as const;
    const smtp = await SmtpConnection.open(server.smtpPort);
    const kept: Kept[] = [];
    for (const [box, subject, size] of [
      [boxes[0], "small", 500],
      [boxes[1], "large", LARGE_BYTES],
    ] as const) {
      const bytes = mailOf(subject, size);
      const { data } = await smtp.deliver({ from: "a@b.example", to: [box.mailbox], bytes });
      expect(data).toMatch(/^250 /);
      kept.push({ box, bytes });
    }
    const receivedMs = Date.now();
    smtp.drop();
    const file = filler(PARTS_BYTES, "upload");
    const upload = await server.service.call("/v1/attachments?filename=a.bin", {
      key: boxes[2].api_key,
      body: file,
      method: "POST",
    });
    const uploadedMs = Date.now();
    expect(upload.status).toBe(201);
    const { id } = JSON.parse(upload.bytes.toString()) as { id: string };
    await server.stopChild();

    for (const cutMs of [receivedMs, uploadedMs]) {
      const again = await startedAfterLoss(cutMs);
      for (const { box, bytes } of kept) await expectKept(again, box, bytes);
      const back = await again.service.call(`/v1/attachments/${id}`, { key: boxes[2].api_key });
      // Before it was acknowledged, it may be stored or not.
      const isThere = back.status === 200 && back.bytes.equals(file);
      expect(isThere || cutMs < uploadedMs).toBe(true);
      await again.stop();
    }
    // The server lists the folder of the blobs when it starts, by two calls for an empty one, and never again.
    const calls = (await readFile(log, "latin1")).split("\n");
    const listed = calls.filter((line) => /getdents64\(\d+<[^>]*\/r2\/[^/>]*\/blobs>/.test(line));
    expect(listed.length).toBeLessThanOrEqual(2);
  },
);

it.skipIf(reason !== null)(
  `acknowledged messages are sent after a power loss, and none is sent twice${skipped}`,
  { timeout: 480_000 },
  async () => {
    const taken = Promise.withResolvers<number>();
    const greet = Promise.withResolvers<void>();
    const relay = await SmtpPeer.start({
      greeting: (talk) => void greet.promise.then(() => talk.write("220 relay.example\r\n")),
      // The relay has received the complete message: from here on it may count as sent.
      end: () => taken.resolve(Date.now()),
    });
    onTestFinished(() => relay.stop());
    const { server, startedAfterLoss } = await tracedServer({ SMTP_URL: relay.url() });
    const box = await server.service.createMailbox();
    const key = { key: "once" };
    const sent = await send(server.service, box, { to: ["r@elsewhere.example"] }, key);
    const acknowledgedMs = Date.now();
    expect(sent.status).toBe(200);
    greet.resolve();
    const takenMs = await taken.promise;
    await server.stopChild();

    for (const [cutMs, status, times] of [
      [acknowledgedMs, "sent", 1],
      [takenMs, "unknown", 0],
    ] as const) {
      const next = await SmtpPeer.start();
      const again = await startedAfterLoss(cutMs, { SMTP_URL: next.url() });
      const email = await reading(again.service, box, sent.body.id, ({ status: now }) => now !== "queued");
      expect(statuses(email)).toEqual({ r: status });
      // A repeated request gets the same message.
      const repeated = await send(again.service, box, { to: ["r@elsewhere.example"] }, key);
      expect([repeated.status, repeated.body.id]).toEqual([200, sent.body.id]);
      expect(copies(next, sent.body.message_id)).toHaveLength(times);
      expect(next.taken.map(({ bytes }) => messageIdOf(bytes))).toHaveLength(times);
      await again.stop();
      next.stop();
    }
  },
);
