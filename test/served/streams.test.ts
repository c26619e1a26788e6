import { EventSource } from "eventsource";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChangePage } from "../../src/contract/event.ts";
import { inParallel } from "./client.ts";
import type { Ask, MailboxKey } from "./client.ts";
import { EventSocket } from "./event-socket.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";

let server: Server;
/** A stream that receives one mail and stays open while the other tests run, until its time limit. */
let quiet: { box: MailboxKey; socket: EventSocket; id: string };

beforeAll(async () => {
  server = await Server.start();
}, 120_000);

afterAll(() => server.stop());

const receive = async (box: MailboxKey, subject: string): Promise<void> => {
  const received = await server.service.handOver(box.mailbox, message({ subject }));
  expect(received.status).toBe(202);
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The complete log, read by its chain: each entry names the one before it. */
async function log({ api_key }: MailboxKey): Promise<ChangePage["events"]> {
  const events: ChangePage["events"] = [];
  for (let after = 0; ;) {
    const page = await server.service.get<ChangePage>(`/v1/changes?limit=100&after=${after}`, api_key);
    if (page.events.length === 0) return events;
    expect(page.events[0]?.prev_seq).toBe(after);
    events.push(...page.events);
    after = events.at(-1)?.seq ?? after;
  }
}

it("resumes by Last-Event-ID after workerd was killed during a stream", async () => {
  const box = await server.service.createMailbox();
  const sockets = [EventSocket.listen(server.url, box.api_key)];
  await sockets[0]?.answered();
  const heard = () => sockets.flatMap(({ frames }) => frames.map(({ id }) => id));
  const sending = (async () => {
    for (let number = 0; number < 60; number += 1) {
      const bytes = message({ subject: `Mail ${number}` });
      const isStored = async () => {
        const received = await server.service.handOver(box.mailbox, bytes).catch(() => null);
        return received?.status === 202;
      };
      while (!(await isStored())) await pause(50);
    }
  })();
  await sockets[0]?.until(() => heard().length >= 20);
  expect(await server.killWorkerd()).toBe(true);
  await sockets[0]?.closed();
  expect([sockets[0]?.isWhole, await server.answers()]).toEqual([false, true]);
  const again = EventSocket.listen(server.url, box.api_key, { lastEventId: heard().at(-1) });
  sockets.push(again);
  await sending;
  await again.until(() => heard().at(-1) === 60);
  again.drop();
  expect(heard()).toEqual((await log(box)).map(({ seq }) => seq));
  expect(heard()).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
});

describe("a quiet stream", () => {
  it("begins at once, and stays open while the tests below run", async () => {
    const box = await server.service.createMailbox();
    const socket = EventSocket.listen(server.url, box.api_key);
    await socket.until(() => socket.text.includes("\n\n"));
    expect((socket.headMs ?? Infinity) - socket.openedMs).toBeLessThan(500);
    // A subject with line ends must stay one line of JSON.
    const hostile = "Hi\r\n\r\nevent: message.sent\ndata: {}\n\n\u2028\u0000☃";
    const subject = `=?utf-8?B?${Buffer.from(hostile).toString("base64")}?=`;
    const { body } = await server.service.handOver(box.mailbox, message({ subject }));
    quiet = { box, socket, id: body.id };
  });
});

describe("a browser's EventSource", () => {
  const RECEIPTS = 1_000;
  const SOURCES = 10;
  const CUTS_EACH = 5;

  /** A response that fails after `bytes` bytes, usually within a frame. */
  function cutAfter(response: Response, bytes: number): Response {
    let left = bytes;
    const cutting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) controller.error(new Error("cut"));
      },
    });
    const { status, headers } = response;
    const body = response.body?.pipeThrough(cutting) ?? null;
    const cut = new Response(body, { status, headers });
    // EventSource reads the URL of the response, which only fetch itself can set.
    Object.defineProperty(cut, "url", { value: response.url });
    return cut;
  }

  /** Listens, and loses its connection five times. */
  function listen(key: string) {
    const heard: number[] = [];
    let connections = 0;
    const opened = Promise.withResolvers<void>();
    const source = new EventSource(`${server.url}/v1/events`, {
      fetch: async (url, init) => {
        connections += 1;
        const headers = { ...init.headers, Authorization: `Bearer ${key}` };
        const response = await fetch(url, { ...init, headers });
        const isLast = connections > CUTS_EACH;
        return isLast ? response : cutAfter(response, 2_000 + Math.floor(Math.random() * 20_000));
      },
    });
    source.addEventListener("message.received", ({ lastEventId }) => heard.push(Number(lastEventId)));
    source.addEventListener("open", () => opened.resolve());
    return { heard, source, opened: opened.promise, connections: () => connections };
  }

  it("gets each of 1,000 mails once, in order, with fifty reconnections", async () => {
    const box = await server.service.createMailbox();
    const sources = Array.from({ length: SOURCES }, () => listen(box.api_key));
    try {
      await Promise.all(sources.map(({ opened }) => opened));
      await inParallel(Array.from({ length: RECEIPTS }), 2, (_, index) => receive(box, `Mail ${index}`));
      const everything = (await log(box)).map(({ seq }) => seq);
      expect(everything).toEqual(Array.from({ length: RECEIPTS }, (_, index) => index + 1));
      for (let left = 200; sources.some(({ heard }) => heard.at(-1) !== RECEIPTS) && left > 0; left -= 1) {
        await pause(50);
      }
      for (const { heard } of sources) expect(heard).toEqual(everything);
      const reconnects = sources.reduce((sum, { connections }) => sum + connections() - 1, 0);
      expect(reconnects).toBeGreaterThanOrEqual(SOURCES * CUTS_EACH);
    } finally {
      for (const { source } of sources) source.close();
    }
  });
});

describe("streams and long-polls end within a second", () => {
  const polls = ["/v1/changes?after=0&wait=25", "/v1/code?timeout=30"];

  interface Waiting {
    socket: EventSocket;
    /** Milliseconds until each long-poll was answered, with its status, counted from `sinceMs`. */
    answers: Promise<{ status: number; atMs: number }[]>;
  }

  async function wait(key: string): Promise<Waiting> {
    const socket = EventSocket.listen(server.url, key);
    await socket.answered();
    expect(socket.status).toBe(200);
    const answers = Promise.all(
      polls.map(async (path) => {
        const { status } = await server.service.call(path, { key });
        return { status, atMs: performance.now() };
      }),
    );
    // Time for the long-polls to reach the mailbox.
    await pause(300);
    return { socket, answers };
  }

  /** The statuses of the long-polls, and how many of the three calls ended late. */
  async function endOf({ socket, answers }: Waiting, sinceMs: number) {
    await socket.closed(5_000);
    const endsMs = [performance.now()];
    const statuses: number[] = [];
    for (const { status, atMs } of await answers) {
      statuses.push(status);
      endsMs.push(atMs);
    }
    return { statuses, late: endsMs.filter((atMs) => atMs - sinceMs > 1_000).length };
  }

  const act = async (path: string, ask: Ask): Promise<void> => {
    const { status } = await server.service.call(path, ask);
    expect([path, status]).toEqual([path, 200]);
  };

  it.each([
    ["pausing", "/v1/mailbox/pause", "PATCH", 403],
    ["erasing", "/v1/mailbox", "DELETE", 401],
  ])("of %s the mailbox", async (_what, path, method, status) => {
    const box = await server.service.createMailbox();
    const waiting = await wait(box.api_key);
    const sinceMs = performance.now();
    await act(path, { key: box.api_key, method });
    expect(await endOf(waiting, sinceMs)).toEqual({ statuses: [status, status], late: 0 });
  });

  it("of revoking their key, and those of another key continue", async () => {
    const box = await server.service.createMailbox();
    const made = await server.service.ask<{ id: string; api_key: string }>("/v1/keys", {
      key: box.api_key,
      json: {},
    });
    const waiting = await wait(made.body.api_key);
    const other = EventSocket.listen(server.url, box.api_key);
    await other.answered();
    const sinceMs = performance.now();
    await act(`/v1/keys/${made.body.id}`, { key: box.api_key, method: "DELETE" });
    expect(await endOf(waiting, sinceMs)).toEqual({ statuses: [401, 401], late: 0 });
    await receive(box, "Still here");
    await other.until(() => other.frames.length === 1);
    other.drop();
  });
});

it("has the documented form on the wire: nine fields, a keep-alive every 2 s, closed before 25 s", async () => {
  const { socket, id, box } = quiet;
  expect(socket.status).toBe(200);
  expect(socket.head).toMatch(/^content-type: text\/event-stream\r?$/im);
  expect(socket.head).toMatch(/^cache-control: no-store\r?$/im);
  await socket.closed();
  const heldMs = (socket.chunkMs.at(-1) ?? Infinity) - socket.openedMs;
  expect([heldMs, heldMs > 23_000 && heldMs < 25_000]).toEqual([expect.any(Number), true]);
  expect(socket.isWhole).toBe(true);

  const [frame, ...more] = socket.frames;
  expect(more).toEqual([]);
  expect(frame).toEqual({
    id: 1,
    event: "message.received",
    fields: ["id", "event", "data"],
    data: {
      event: "message.received",
      email_id: id,
      mailbox: box.mailbox,
      from: "ann@example.com",
      subject: expect.stringContaining("☃"),
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      thread_id: expect.any(String),
      labels: ["personal"],
      has_attachments: false,
    },
  });
  const [opening, event, ...beats] = socket.text.split("\n\n");
  expect(opening).toBe("retry: 1000\nid: 0");
  expect(event?.startsWith("id: 1\nevent: message.received\ndata: {")).toBe(true);
  expect(beats.pop()).toBe("");
  expect(new Set(beats)).toEqual(new Set([": keepalive"]));
  // The keep-alives are the last chunks before the end of the body.
  const beatMs = socket.chunkMs.slice(-beats.length - 1, -1);
  const gaps = beatMs.slice(1).map((atMs, index) => atMs - (beatMs[index] ?? 0));
  expect(gaps.length).toBeGreaterThanOrEqual(9);
  expect(gaps.filter((gap) => Math.abs(gap - 2_000) > 500)).toEqual([]);
});
