import { afterAll, beforeAll, expect, it } from "vitest";
import { resident } from "../../scripts/bench/process-cost.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey } from "./client.ts";
import { EventSocket } from "./event-socket.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";

/** Open streams of one mailbox at most (docs/limits.md#calling-the-api). */
const CAP = 1_000;
/** With frames of 3 KB, these are 1.5 times the 4 MB that the system buffers for a socket that nobody reads. */
const MAILS = 2_000;
/** Clients that do not read. */
const LAZY = 20;
/** Memory varies by tens of MB with garbage collection; the buffered frames would be 130 MB. */
const MAX_GROWTH_BYTES = 60_000_000;

let server: Server;

beforeAll(async () => {
  server = await Server.start();
}, 120_000);

afterAll(() => server.stop());

const listen = (box: MailboxKey, lastEventId?: number): EventSocket =>
  EventSocket.listen(server.url, box.api_key, { lastEventId });

/** Opens as many streams as the mailbox allows. */
async function crowd(box: MailboxKey): Promise<EventSocket[]> {
  const sockets = await inParallel(Array.from({ length: CAP }), 50, async () => {
    const socket = listen(box);
    await socket.answered();
    return socket;
  });
  expect(new Set(sockets.map(({ status }) => status))).toEqual(new Set([200]));
  return sockets;
}

/** The status with which a new stream is answered. */
async function statusOf(box: MailboxKey): Promise<{ status: number; head: string }> {
  const socket = listen(box);
  await socket.answered();
  const { status, head } = socket;
  socket.drop();
  return { status, head };
}

/** Listens until event `id` comes. A stream that ended by its time limit is resumed. */
async function heardUntil(box: MailboxKey, id: number): Promise<void> {
  for (let last = 0; last < id;) {
    const socket = listen(box, last);
    const newest = (): number => socket.frames.at(-1)?.id ?? last;
    await socket.until(() => newest() === id || socket.isWhole || socket.closedMs !== null);
    last = newest();
    socket.drop();
  }
}

/** Resolves to the time until a new stream is answered with 200, in ms. */
async function untilFree(box: MailboxKey, timeoutMs: number): Promise<number> {
  const sinceMs = performance.now();
  while ((await statusOf(box)).status !== 200) {
    if (performance.now() - sinceMs > timeoutMs) throw new Error(`No place in ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return performance.now() - sinceMs;
}

it("allows a thousand streams, answers 429 with Retry-After to the next, and sends a mail to each", async () => {
  const box = await server.service.createMailbox();
  const sockets = await crowd(box);
  const { status, head } = await statusOf(box);
  expect([status, head]).toEqual([429, expect.stringMatching(/^retry-after: [1-9]\d?\r?$/im)]);
  // The limit is for each mailbox.
  expect((await statusOf(await server.service.createMailbox())).status).toBe(200);
  await server.service.handOver(box.mailbox, message());
  await Promise.all(sockets.map((socket) => socket.until(() => socket.frames.length === 1)));
  for (const socket of sockets) socket.drop();
  expect(await untilFree(box, 5_000)).toBeLessThan(5_000);
});

it("ends the streams of clients that vanished without closing", async () => {
  const box = await server.service.createMailbox();
  const sockets = await crowd(box);
  // Nobody reads or closes, as if a cable is cut: the streams end by their time limit.
  for (const socket of sockets) socket.pause();
  expect((await statusOf(box)).status).toBe(429);
  expect(await untilFree(box, 27_000)).toBeLessThan(27_000);
  for (const socket of sockets) socket.drop();
});

it("disconnects a client that does not read, while mail comes in and memory stays bounded", async () => {
  const box = await server.service.createMailbox();
  const other = await server.service.createMailbox();
  // The longest subject makes a frame of 3 KB.
  const receive = async ({ mailbox }: MailboxKey): Promise<void> => {
    const bytes = message({ subject: "☃".repeat(2_000), body: "x\n" });
    expect((await server.service.handOver(mailbox, bytes)).status).toBe(202);
  };
  const pid = await server.workerdPid();
  /** Growth of memory while a mailbox with one listener gets this much mail, in bytes. */
  const growth = async (mailbox: MailboxKey): Promise<number> => {
    const before = resident(pid).bytes;
    const heard = heardUntil(mailbox, MAILS);
    await inParallel(Array.from({ length: MAILS }), 8, () => receive(mailbox));
    await heard;
    return resident(pid).bytes - before;
  };
  const usual = await growth(other);

  const lazy = Array.from({ length: LAZY }, () => listen(box));
  for (const socket of lazy) {
    await socket.answered();
    socket.pause();
  }
  const grown = await growth(box);
  expect([grown, usual, grown - usual < MAX_GROWTH_BYTES]).toEqual([
    expect.any(Number),
    expect.any(Number),
    true,
  ]);

  for (const socket of lazy) {
    socket.resume();
    await socket.closed();
    const heard = socket.frames.map(({ id }) => id);
    expect([heard.length < MAILS, socket.isWhole]).toEqual([true, false]);
    expect(heard).toEqual(heard.map((_, index) => index + 1));
  }
  // A disconnected client is not logged.
  expect(server.process.stderr).toBe("");
  // It can resume where it was disconnected.
  const last = lazy[0]?.frames.at(-1)?.id ?? 0;
  const again = listen(box, last);
  await again.until(() => again.frames.at(-1)?.id === MAILS);
  const rest = again.frames.map(({ id }) => id);
  expect(rest).toEqual(Array.from({ length: MAILS - last }, (_, index) => last + 1 + index));
  again.drop();
});
