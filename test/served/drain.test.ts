import http from "node:http";
import { connect } from "node:net";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { MailboxKey } from "./client.ts";
import { EventSocket } from "./event-socket.ts";
import { filler, message } from "./messages.ts";
import { Server, makeDataDir, removeDataDir } from "./server.ts";
import { SmtpConnection } from "./smtp.ts";

/** An exit that was asked for, and waited for what was begun. */
const CLEAN = { code: 0, signal: null };
/** The exit at a second signal. */
const FORCED = { code: 130, signal: null };
/** Signals closer together than a second count as one. */
const ECHO_MS = 1_100;
/** Senders of the tests that stop the server at a random moment, and how often they do. */
const SENDERS = 6;
const STOPS = 3;
const SEED = 20_261_122;

const dataDir = await makeDataDir();
afterAll(() => removeDataDir(dataDir));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A connection in the middle of DATA. */
async function halfSent(server: Server, box: MailboxKey): Promise<SmtpConnection> {
  const connection = await SmtpConnection.open(server.smtpPort);
  await connection.say("MAIL FROM:<a@b.example>");
  await connection.say(`RCPT TO:<${box.mailbox}>`);
  expect(await connection.say("DATA")).toMatch(/^354 /);
  connection.write("Subject: Half\r\n\r\nHalf");
  return connection;
}

/** The greeting of a new connection. */
async function greeting(port: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  socket.setEncoding("utf8");
  for await (const text of socket) return String(text);
  return "";
}

/** Ends once the server says that it stops. */
async function draining(server: Server): Promise<unknown> {
  for (;;) {
    const { status, bytes } = await server.service.call("/readyz");
    if (status === 503) return JSON.parse(bytes.toString());
    await pause(20);
  }
}

/** A request whose body is sent in two halves; `finish` sends the second and resolves to the status of the answer. */
async function halfAsked(server: Server, path: string, body: Buffer): Promise<() => Promise<number>> {
  const request = http.request(new URL(path, server.url).href, {
    agent: false,
    method: "POST",
    headers: {
      Authorization: `Bearer ${server.token}`,
      "Content-Type": "message/rfc822",
      "Content-Length": body.length,
    },
  });
  const status = new Promise<number>((resolve, reject) => {
    request.once("response", (response) => resolve(response.resume().statusCode ?? 0));
    request.once("error", reject);
  });
  await new Promise((written) => request.write(body.subarray(0, 20), written));
  return () => {
    request.end(body.subarray(20));
    return status;
  };
}

describe("a server that is told to stop", () => {
  it("finishes messages and requests under way, ends streams and waiting calls with their cursors, and refuses the rest", async () => {
    const server = await Server.start({ dataDir });
    const box = await server.service.createMailbox();
    await server.service.handOver(box.mailbox, message());
    const stream = EventSocket.listen(server.url, box.api_key, { lastEventId: 0 });
    await stream.until(() => stream.frames.length === 1);
    const code = server.service.code(box.api_key, { timeout: 55, since: "2100-01-01T00:00:00Z" });
    const changes = server.service.ask("/v1/changes?after=1&wait=25", { key: box.api_key });
    const sender = await halfSent(server, box);
    const other = await SmtpConnection.open(server.smtpPort);
    await other.say("MAIL FROM:<a@b.example>");
    const handOver = `/v1/inbound?from=a@b.example&to=${box.mailbox}`;
    const finishRequest = await halfAsked(server, handOver, message({ subject: "By HTTP" }));

    const exit = server.process.end("SIGTERM");
    expect(await draining(server)).toEqual({ status: "not_ready", reasons: ["draining"] });
    expect(await greeting(server.smtpPort)).toMatch(/^421 .*Shutting down/);
    expect(await other.say(`RCPT TO:<${box.mailbox}>`)).toMatch(/^421 /);
    await stream.closed();
    expect(stream.isWhole).toBe(true);
    expect(await code).toEqual({ code: null });
    expect((await changes).body).toEqual({ events: [], last_seq: 1, oldest_seq: 1 });
    sender.write(" and whole\r\n.\r\n");
    expect(await sender.reply()).toMatch(/^250 /);
    expect(await finishRequest()).toBe(202);
    expect(await exit).toEqual(CLEAN);

    const next = await Server.start({ dataDir });
    onTestFinished(async () => void (await next.stop()));
    const inbox = await next.service.inbox(box.api_key);
    expect(inbox.map(({ subject }) => subject).toSorted()).toEqual(["By HTTP", "Half", "Hello"]);
    // The stream goes on where it ended.
    const resumed = EventSocket.listen(next.url, box.api_key, { lastEventId: stream.frames.at(-1)?.id });
    await resumed.until(() => resumed.frames.length === 2);
    expect(resumed.frames.map(({ id }) => id)).toEqual([2, 3]);
    resumed.drop();
  });

  it("loses no count of what it did until its last answer", async () => {
    const folder = await makeDataDir();
    const server = await Server.start({ dataDir: folder });
    const box = await server.service.createMailbox();
    for (let n = 0; n < 20; n += 1) await server.service.handOver(box.mailbox, message());
    const stream = `/v1/inbound?from=a@b.example&to=${box.mailbox}`;
    const finishRequest = await halfAsked(server, stream, message());
    const exit = server.process.end("SIGTERM");
    await draining(server);
    expect(await finishRequest()).toBe(202);
    expect(await exit).toEqual(CLEAN);
    server.service.close();
    const next = await Server.start({ dataDir: folder });
    onTestFinished(async () => {
      await next.stop();
      await removeDataDir(folder);
    });
    expect(await next.service.counted("mailkeep_receipts_total")).toBe(21);
  });

  it("stores the mail that it acknowledged and no other, whenever it is told to stop, and ends at once at the second signal", async () => {
    const random = randomOf(SEED);
    const acknowledged: string[] = [];
    let box: MailboxKey | null = null;
    for (let stop = 1; stop <= STOPS; stop += 1) {
      const server = await Server.start({ dataDir });
      box ??= await server.service.createMailbox();
      const to = box.mailbox;
      const stopAt = acknowledged.length + 1 + Math.floor(random() * 40);
      const reached = Promise.withResolvers<void>();
      const senders = Array.from({ length: SENDERS }, (_, sender) =>
        sendUntilRefused(server, to, `${stop}-${sender}`, (subject) => {
          if (acknowledged.push(subject) === stopAt) reached.resolve();
        }),
      );
      await reached.promise;
      await pause(random() * 20);
      const isLast = stop === STOPS;
      // A client that never finishes its message would hold the last stop.
      const stuck = isLast ? await halfSent(server, box) : null;
      const exit = server.process.end("SIGTERM");
      await Promise.all(senders);
      if (stuck !== null) {
        await pause(ECHO_MS);
        server.process.child.kill("SIGTERM");
      }
      expect(await exit).toEqual(isLast ? FORCED : CLEAN);
      stuck?.drop();
      server.service.close();
    }
    const server = await Server.start({ dataDir });
    onTestFinished(async () => void (await server.stop()));
    const stored = await server.service.inbox(box?.api_key ?? "");
    expect(stored.map(({ subject }) => subject).toSorted()).toEqual(acknowledged.toSorted());
  });
});

/** Sends one mail after the other, some of them large, each on the same connection, until the server refuses. */
async function sendUntilRefused(
  { smtpPort }: Server,
  to: string,
  name: string,
  acknowledged: (subject: string) => void,
): Promise<void> {
  const connection = await SmtpConnection.open(smtpPort).catch(() => null);
  try {
    for (let number = 0; connection !== null; number += 1) {
      const subject = `Mail ${name}-${number}`;
      const body = filler(number % 4 === 3 ? 600_000 : 500, subject);
      const { data } = await connection.deliver({
        from: "a@b.example",
        to: [to],
        bytes: message({ subject, body }),
      });
      if (data?.startsWith("250") !== true) return;
      acknowledged(subject);
    }
  } catch {
    // The connection ended where a command began.
  }
}

/** Random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
