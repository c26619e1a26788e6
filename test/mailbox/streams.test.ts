import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_UNREAD_BYTES } from "../../src/mailbox/log/listeners.ts";
import {
  actorOf,
  advance,
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  evict,
  OPERATOR,
  plainMessage,
  resetClock,
  tablesOf,
  type TestMailbox,
} from "../harness.ts";
import { EventStream } from "./event-stream.ts";

afterEach(() => resetClock());

/** Number of open streams of a mailbox. */
function listening(box: TestMailbox): Promise<number> {
  return runInDurableObject(actorOf(box.mailbox), ({ life }) => life.feed.listeners.size);
}

async function deliverMany(box: TestMailbox, count: number, from = 1): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    await deliver(box.mailbox, plainMessage({ subject: `Mail ${n}` }));
  }
}

async function readToEnd(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
}

const ids = (stream: EventStream): number[] => stream.frames.map(({ id }) => id);

describe("GET /v1/events", () => {
  it("answers 500 without a stack where the mailbox fails, and works again", async () => {
    const box = await createMailbox();
    const failing = vi.fn<() => Promise<Response> | undefined>();
    failing.mockRejectedValueOnce(new Error("a fault within"));
    await runInDurableObject(actorOf(box.mailbox), ({ life }) => {
      const { feed } = life;
      const stream = feed.stream.bind(feed);
      feed.stream = (request) => failing() ?? stream(request);
    });
    const { status, body } = await ask("/v1/events", { key: box.api_key });
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: "internal" });
    expect(JSON.stringify(body)).not.toMatch(/fault within|\bat /);
    const stream = await EventStream.open(box.api_key);
    stream.hangUp();
  });

  it("sends a frame for a mail that arrives: id, event and one line of data with exactly nine fields", async () => {
    const box = await createMailbox();
    const stream = await EventStream.open(box.api_key);
    const { headers } = stream.response;
    expect(headers.get("Content-Type")).toBe("text/event-stream");
    expect(headers.get("Cache-Control")).toBe("no-store");
    const { body } = await deliver(
      box.mailbox,
      plainMessage({ subject: "Größe", from: "Ann <ann@example.com>" }),
    );
    const [frame] = await stream.framesOnce(1);
    expect(frame).toEqual({
      id: 1,
      event: "message.received",
      data: {
        event: "message.received",
        email_id: body.id,
        mailbox: box.mailbox,
        from: "ann@example.com",
        subject: "Größe",
        received_at: expect.stringMatching(/^\d{4}-.*Z$/),
        thread_id: body.id,
        labels: expect.any(Array),
        has_attachments: false,
      },
    });
    expect(stream.text.startsWith("retry: 1000\nid: 0\n\nid: 1\n")).toBe(true);
    stream.hangUp();
  });

  it("starts with the next event if neither Last-Event-ID nor since is given", async () => {
    const box = await createMailbox();
    await deliverMany(box, 2);
    const stream = await EventStream.open(box.api_key);
    await deliverMany(box, 1);
    await stream.framesOnce(1);
    expect(ids(stream)).toEqual([3]);
    stream.hangUp();
  });

  it("resumes after Last-Event-ID, which overrides since, also after an eviction", async () => {
    const box = await createMailbox();
    await deliverMany(box, 5);
    await evict(box.mailbox);
    const headers = { "Last-Event-ID": "3" };
    const stream = await EventStream.open(box.api_key, "since=2020-01-01", { headers });
    await stream.framesOnce(2);
    await deliverMany(box, 1);
    await stream.framesOnce(3);
    expect(ids(stream)).toEqual([4, 5, 6]);
    stream.hangUp();
  });

  it.each(["abc", "-1", "1.5", "99", "", "1e0", " "])(
    "ignores %j as Last-Event-ID, and uses since",
    async (lastEventId) => {
      const box = await createMailbox();
      await deliverMany(box, 2);
      const stream = await EventStream.open(box.api_key, "since=2020-01-01", {
        headers: { "Last-Event-ID": lastEventId },
      });
      await stream.framesOnce(2);
      expect(ids(stream)).toEqual([1, 2]);
      stream.hangUp();
    },
  );

  it("replays from `since`, that millisecond included", async () => {
    const box = await createMailbox();
    await deliverMany(box, 3);
    const { body } = await ask<{ events: { at: string }[] }>("/v1/changes", { key: box.api_key });
    const stream = await EventStream.open(box.api_key, `since=${body.events[1]?.at}`);
    await deliverMany(box, 1);
    await stream.until(() => ids(stream).includes(4));
    expect(ids(stream).slice(-3)).toEqual([2, 3, 4]);
    stream.hangUp();
  });

  it("replays thousands without a gap while more arrives", async () => {
    const box = await createMailbox();
    await deliver(box.mailbox, plainMessage());
    await runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
      storage.sql.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO event (seq, kind, at, data) SELECT i, kind, at, data FROM event, n WHERE seq = 1`);
      storage.sql.exec("UPDATE account SET last_event = 3000");
    });
    await evict(box.mailbox);
    const stream = await EventStream.open(box.api_key, "", { headers: { "Last-Event-ID": "0" } });
    await deliverMany(box, 20);
    await stream.framesOnce(3_020);
    expect(ids(stream)).toEqual(Array.from({ length: 3_020 }, (_, index) => index + 1));
    stream.hangUp();
  });

  it("sends only the requested types, with the numbers of the log", async () => {
    const box = await createMailbox();
    const none = await EventStream.open(box.api_key, "types=message.bounced,message.sent");
    const some = await EventStream.open(box.api_key, "types=message.bounced,%20message.received");
    await deliverMany(box, 2);
    await some.framesOnce(2);
    expect(ids(some)).toEqual([1, 2]);
    expect(none.frames).toEqual([]);
    for (const stream of [none, some]) stream.hangUp();
  });

  it.each([
    ["types=message.read", "types"],
    ["types=message.received,,", "types"],
    ["since=yesterday", "since"],
  ])("refuses ?%s by its name", async (query, field) => {
    const box = await createMailbox();
    const { status, body } = await ask(`/v1/events?${query}`, { key: box.api_key });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: expect.stringContaining(`${field}: `), details: [{ path: field }] });
  });

  it("lets the operator name a mailbox, and refuses a key that names another one", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const stream = await EventStream.open(OPERATOR, `mailbox=${box.mailbox}`);
    await deliverMany(other, 1);
    await deliverMany(box, 1);
    expect((await stream.framesOnce(1)).map(({ data }) => data.mailbox)).toEqual([box.mailbox]);
    stream.hangUp();
    expect((await api(`/v1/events?mailbox=${other.mailbox}`, { key: box.api_key })).status).toBe(403);
  });

  it("writes no row for a mailbox that nobody created", async () => {
    const stranger = "nobody-ever@mailkeep.test";
    expect((await api(`/v1/events?mailbox=${stranger}`, { key: OPERATOR })).status).toBe(404);
    expect(await tablesOf(stranger)).toEqual([]);
  });

  it("answers HEAD without opening a stream", async () => {
    const box = await createMailbox();
    const head = await api("/v1/events", { key: box.api_key, method: "HEAD" });
    expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
    expect(await listening(box)).toBe(0);
  });

  it("writes data on one line, whatever a sender wrote", async () => {
    const box = await createMailbox();
    const stream = await EventStream.open(box.api_key);
    await deliver(
      box.mailbox,
      plainMessage({ subject: "a\u2028b\u0085c =?utf-8?q?=0A=0Aevent:_x=0Did:_9=00?=" }),
    );
    const [frame] = await stream.framesOnce(1);
    expect(stream.frames).toHaveLength(1);
    expect(stream.text.split(/[\n\r\u0085\u2028\u2029\0]/).filter((line) => line !== "")).toHaveLength(5);
    expect(frame?.data.subject).toContain("b");
    stream.hangUp();
  });

  it("sends a keep-alive every two seconds while nothing happens", async () => {
    const box = await createMailbox();
    const stream = await EventStream.open(box.api_key);
    await stream.until(() => stream.text.split(": keepalive\n\n").length > 2);
    expect(stream.text).toBe("retry: 1000\nid: 0\n\n: keepalive\n\n: keepalive\n\n");
    stream.hangUp();
  });

  it("is removed with its timer when its client closes the connection", async () => {
    const box = await createMailbox();
    const streams = await Promise.all(Array.from({ length: 5 }, () => EventStream.open(box.api_key)));
    expect(await listening(box)).toBe(5);
    for (const stream of streams) stream.hangUp();
    await vi.waitFor(async () => expect(await listening(box)).toBe(0));
    const timer = await runInDurableObject(actorOf(box.mailbox), ({ life }) => life.feed.listeners.isIdle);
    expect(timer).toBe(true);
  });

  it("is closed when its client does not read, and resumes by Last-Event-ID", async () => {
    const box = await createMailbox();
    const response = await api("/v1/events", { key: box.api_key });
    const reader = response.body?.getReader();
    await reader?.read();
    const subject = "x".repeat(900);
    // workerd buffers more between actor and client than the limit counts.
    for (let n = 0; n < 400 && (await listening(box)) > 0; n += 1) {
      await deliver(box.mailbox, plainMessage({ subject }));
    }
    expect(await listening(box)).toBe(0);
    await expect(readToEnd(reader)).rejects.toThrow("reads too slowly");
    const { body } = await ask<{ last_seq: number }>("/v1/changes?limit=1", { key: box.api_key });
    const again = await EventStream.open(box.api_key, "", { headers: { "Last-Event-ID": "0" } });
    await again.framesOnce(body.last_seq);
    expect(ids(again)).toEqual(Array.from({ length: body.last_seq }, (_, index) => 1 + index));
    expect(again.text.length).toBeGreaterThan(MAX_UNREAD_BYTES);
    again.hangUp();
  });

  it("is one of 1,000 at most in a mailbox; beyond that, 429 with Retry-After", async () => {
    const box = await createMailbox();
    const streams = await Promise.all(Array.from({ length: 1_000 }, () => EventStream.open(box.api_key)));
    const refused = await ask("/v1/events", { key: box.api_key });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "5"]);
    await deliverMany(box, 2);
    const seen = await Promise.all(
      streams.map(async (stream) => (await stream.framesOnce(2)).map(({ id }) => id)),
    );
    expect(new Set(seen.map((each) => each.join()))).toEqual(new Set(["1,2"]));
    for (const stream of streams) stream.hangUp();
    await vi.waitFor(async () => expect(await listening(box)).toBe(0));
    (await EventStream.open(box.api_key)).hangUp();
  });
});

describe("a stream and a waiting call end at once", () => {
  const endings: [string, (box: TestMailbox) => Promise<unknown>, number][] = [
    [
      "when the mailbox is paused",
      (box) => api("/v1/mailbox/pause", { key: box.api_key, method: "PATCH" }),
      403,
    ],
    ["when the mailbox is deleted", (box) => api("/v1/mailbox", { key: box.api_key, method: "DELETE" }), 401],
    [
      "when the key is revoked",
      async (box) => {
        const { body } = await ask<{ keys: { id: string }[] }>("/v1/keys", { key: box.api_key });
        return api(`/v1/keys/${body.keys[0]?.id}?mailbox=${box.mailbox}`, {
          key: OPERATOR,
          method: "DELETE",
        });
      },
      401,
    ],
  ];
  it.each(endings)("%s", async (_, end, status) => {
    const box = await createMailbox();
    const stream = await EventStream.open(box.api_key);
    const waits = ["/v1/changes?wait=25", "/v1/code?timeout=55"].map((path) =>
      api(path, { key: box.api_key }),
    );
    await vi.waitFor(async () => expect(await listening(box)).toBe(1));
    await end(box);
    expect(await stream.ended).toBe("closed");
    expect((await Promise.all(waits)).map((answer) => answer.status)).toEqual([status, status]);
  });

  it("when the key expires", async () => {
    const box = await bootstrap();
    const stream = await EventStream.open(box.api_key);
    advance(73 * 3_600_000);
    expect(await stream.ended).toBe("closed");
    expect((await api("/v1/events", { key: box.api_key })).status).toBe(401);
  });

  it("without ending the streams of other keys and mailboxes", async () => {
    const [box, other] = [await createMailbox(), await createMailbox()];
    const made = await ask<{ id: string; api_key: string }>("/v1/keys", { key: box.api_key, method: "POST" });
    const kept = await Promise.all([EventStream.open(box.api_key), EventStream.open(other.api_key)]);
    const ended = await EventStream.open(made.body.api_key);
    await api(`/v1/keys/${made.body.id}`, { key: box.api_key, method: "DELETE" });
    expect(await ended.ended).toBe("closed");
    await deliverMany(box, 1);
    await deliverMany(other, 1);
    for (const stream of kept) {
      await stream.framesOnce(1);
      stream.hangUp();
    }
  });
});
