import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { ChangePage } from "../../src/contract/event.ts";
import { locatorOf } from "../../src/contract/key.ts";
import { lastAfterRestore } from "../../src/lib/log-numbers.ts";
import {
  actorOf,
  advance,
  alarmOf,
  api,
  ask,
  createMailbox,
  deliver,
  evict,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  type TestMailbox,
} from "../harness.ts";
import { EventStream } from "./event-stream.ts";

const DAY_MS = 86_400_000;

afterEach(() => resetClock());

async function deliverMany(box: TestMailbox, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await deliver(box.mailbox, plainMessage({ subject: `Mail ${n}` }));
}

async function changes(box: TestMailbox, query = "") {
  const { status, body } = await ask(`/v1/changes?${query}`, { key: box.api_key });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return ChangePage.parse(body);
}

const seqs = (page: ChangePage) => page.events.map(({ seq, prev_seq }) => [prev_seq, seq]);

/** Changes the kind of some log entries. */
function turnInto(box: TestMailbox, kind: string, ...which: number[]): Promise<void> {
  return runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
    for (const seq of which) storage.sql.exec("UPDATE event SET kind = ? WHERE seq = ?", kind, seq);
  });
}

describe("GET /v1/changes", () => {
  it("of a new mailbox is empty, with last_seq and oldest_seq 0", async () => {
    expect(await changes(await createMailbox())).toEqual({ events: [], last_seq: 0, oldest_seq: 0 });
  });

  it("is a chain: each prev_seq is the seq before it, across pages", async () => {
    const box = await createMailbox();
    await deliverMany(box, 5);
    const first = await changes(box, "limit=3");
    const second = await changes(box, "limit=3&after=3");
    expect([seqs(first), seqs(second)]).toEqual([
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      [
        [3, 4],
        [4, 5],
      ],
    ]);
    expect(first).toMatchObject({ last_seq: 5, oldest_seq: 1 });
    expect(first.events[0]).toMatchObject({ event: "message.received", data: { subject: "Mail 0" } });
  });

  it("tells on request what a webhook sends of each event, and null where webhooks send nothing", async () => {
    const box = await createMailbox();
    await deliverMany(box, 2);
    await turnInto(box, "message.sent", 2);
    expect((await changes(box)).events[0]).not.toHaveProperty("webhook_body");
    const [received, sent] = (await changes(box, "webhook_body=true")).events;
    expect(JSON.parse(String(received?.webhook_body))).toEqual({
      ...received?.data,
      message_id: expect.stringMatching(/^<.*>$/),
      attachment_count: 0,
      sender_verified: false,
      event_id: `evt_${locatorOf(box.mailbox)}_1`,
      seq: 1,
    });
    expect(sent?.webhook_body).toBeNull();
  });

  it("is also a chain if only some types are requested", async () => {
    const box = await createMailbox();
    await deliverMany(box, 6);
    await turnInto(box, "message.sent", 2, 3, 6);
    const types = "types=message.received";
    expect(seqs(await changes(box, types))).toEqual([
      [0, 1],
      [1, 4],
      [4, 5],
    ]);
    expect(seqs(await changes(box, `${types}&after=2`))[0]).toEqual([2, 4]);
    expect(await changes(box, `${types}&after=5`)).toMatchObject({ events: [], last_seq: 6 });
  });

  it("waits for the next event, and answers as soon as it is stored", async () => {
    const box = await createMailbox();
    await deliverMany(box, 1);
    const waiting = changes(box, "after=1&wait=25");
    await deliverMany(box, 1);
    expect(seqs(await waiting)).toEqual([[1, 2]]);
  });

  it("answers no events when time is up, with the current last_seq", async () => {
    const box = await createMailbox();
    const waiting = changes(box, "wait=1&types=message.bounced");
    await deliverMany(box, 1);
    expect(await waiting).toEqual({ events: [], last_seq: 1, oldest_seq: 1 });
  });

  it.each([
    ["after=-1", "after"],
    ["after=x", "after"],
    ["after=3", "after"],
    ["wait=-1", "wait"],
    ["limit=0", "limit"],
    ["types=nonsense", "types"],
  ])("refuses ?%s and names the parameter", async (query, field) => {
    const box = await createMailbox();
    await deliverMany(box, 2);
    const { status, body } = await ask(`/v1/changes?${query}`, { key: box.api_key });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ path: field }] });
  });

  it("limits values that are too large", async () => {
    const box = await createMailbox();
    await deliverMany(box, 1);
    expect(seqs(await changes(box, "limit=1000&wait=1000"))).toEqual([[0, 1]]);
  });
});

describe("the log of a mailbox that was restored from a backup", () => {
  const GOES_ON = 2_000_000;

  /** A mailbox with two entries of before the backup, as a restore leaves it. */
  async function restored(): Promise<TestMailbox> {
    const box = await createMailbox();
    await deliverMany(box, 2);
    await runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
      storage.sql.exec("UPDATE account SET last_event = ?", lastAfterRestore(2));
    });
    await evict(box.mailbox);
    return box;
  }

  it("answers 410 to each cursor from before, also from after the backup, and then goes on as a chain", async () => {
    const box = await restored();
    const refused = { status: 410, body: { code: "gone", oldest_seq: GOES_ON + 1 } };
    const askAfter = (after: number) => ask(`/v1/changes?after=${after}`, { key: box.api_key });
    for (const after of [0, 1, 2, 3, 500, GOES_ON - 1]) expect(await askAfter(after)).toMatchObject(refused);
    expect(await changes(box, `after=${GOES_ON}`)).toEqual({
      events: [],
      last_seq: GOES_ON,
      oldest_seq: GOES_ON + 1,
    });
    await deliverMany(box, 2);
    for (const after of [2, 500]) expect(await askAfter(after)).toMatchObject(refused);
    expect(seqs(await changes(box, `after=${GOES_ON}`))).toEqual([
      [GOES_ON, GOES_ON + 1],
      [GOES_ON + 1, GOES_ON + 2],
    ]);
  });

  it("tells a stream by its first id that entries after its cursor are lost, and replays what is kept", async () => {
    const box = await restored();
    await deliverMany(box, 1);
    const opened = async (lastEventId: number, count: number) => {
      const headers = { "Last-Event-ID": String(lastEventId) };
      const stream = await EventStream.open(box.api_key, "", { headers });
      const ids = (await stream.framesOnce(count)).map(({ id }) => id);
      stream.hangUp();
      return [/^id: (\d+)$/m.exec(stream.text)?.[1], ...ids];
    };
    expect(await opened(1, 2)).toEqual(["1", 2, GOES_ON + 1]);
    for (const lost of [2, 500]) expect(await opened(lost, 1)).toEqual([String(GOES_ON), GOES_ON + 1]);
  });

  it("goes on without a gap where a log has a million entries of its own", async () => {
    const box = await createMailbox();
    await deliverMany(box, 1);
    await runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
      storage.sql.exec("UPDATE event SET seq = 999999");
      storage.sql.exec("UPDATE account SET last_event = 999999");
    });
    await evict(box.mailbox);
    await deliverMany(box, 2);
    expect(seqs(await changes(box, "after=999998"))).toEqual([
      [999_998, 999_999],
      [999_999, 1_000_000],
      [1_000_000, 1_000_001],
    ]);
  });
});

describe("the log of a mailbox", () => {
  it("is erased by alarm after 30 days, and then answers 410", async () => {
    const box = await createMailbox();
    await deliverMany(box, 2);
    advance(20 * DAY_MS);
    await deliverMany(box, 1);
    expect(await alarmOf(box.mailbox)).toBeLessThanOrEqual(Date.now() + 10 * DAY_MS + 3_600_000);
    advance(10 * DAY_MS + 3_600_000);
    await ringAlarm(box.mailbox);
    const { status, body } = await ask("/v1/changes?after=1", { key: box.api_key });
    expect([status, body]).toEqual([
      410,
      {
        error: expect.stringContaining("begins with 3"),
        code: "gone",
        oldest_seq: 3,
        fix: expect.stringContaining("oldest_seq"),
        retryable: false,
      },
    ]);
    expect(await changes(box, "after=2")).toMatchObject({ events: [{ seq: 3 }], last_seq: 3, oldest_seq: 3 });
    expect(await alarmOf(box.mailbox)).toBeGreaterThan(Date.now());
  });

  it("continues its numbers when all entries are erased, and after an eviction", async () => {
    const box = await createMailbox();
    await deliverMany(box, 2);
    advance(31 * DAY_MS);
    await ringAlarm(box.mailbox);
    expect(await rowsOf(box.mailbox, "SELECT seq FROM event")).toEqual([]);
    expect(await alarmOf(box.mailbox)).toBeNull();
    await evict(box.mailbox);
    expect(await changes(box, "after=2")).toEqual({ events: [], last_seq: 2, oldest_seq: 3 });
    expect((await api("/v1/changes", { key: box.api_key })).status).toBe(410);
    await deliverMany(box, 1);
    expect(seqs(await changes(box, "after=2"))).toEqual([[2, 3]]);
  });

  it("does not erase mail together with its entries", async () => {
    const box = await createMailbox();
    await deliverMany(box, 1);
    advance(31 * DAY_MS);
    await ringAlarm(box.mailbox);
    expect((await ask("/v1/inbox", { key: box.api_key })).body).toMatchObject({
      emails: [{ subject: "Mail 0" }],
    });
  });

  it("is erased in steps if it is long", async () => {
    const box = await createMailbox();
    await deliverMany(box, 1);
    await runInDurableObject(actorOf(box.mailbox), (_, { storage }) => {
      storage.sql.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO event (seq, kind, at, data) SELECT i, kind, at, data FROM event, n WHERE seq = 1`);
      storage.sql.exec("UPDATE account SET last_event = 5000");
    });
    await evict(box.mailbox);
    advance(31 * DAY_MS);
    const left: unknown[] = [];
    while (await ringAlarm(box.mailbox)) {
      left.push((await rowsOf(box.mailbox, "SELECT count(*) AS n FROM event"))[0]?.n);
    }
    expect(left).toEqual([3_000, 1_000, 0]);
  });
});
