import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { GapError, Mailkeep, type Change } from "../../src/client/index.ts";
import { FaultyServer, json, type Fault, type Seen } from "./faulty-server.ts";

let server: FaultyServer;
let mail: Mailkeep;

beforeAll(async () => {
  server = await FaultyServer.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  // Pauses between tries are random; these are the shortest.
  vi.spyOn(Math, "random").mockReturnValue(0);
  mail = new Mailkeep({ url: server.url, key: "mk_1" });
});

const KINDS = ["message.received", "message.sent", "message.bounced"] as const;

/** The log of a mailbox, which answers as `GET /v1/changes` does. */
class Log {
  readonly kinds: string[] = [];
  oldest = 1;

  answer({ path }: Seen): Fault {
    const query = new URL(path, server.url).searchParams;
    const after = Number(query.get("after"));
    const types = query.get("types")?.split(",") ?? null;
    const newest = this.kinds.length;
    if (after < this.oldest - 1) {
      return json({ error: "after: gone", code: "gone", oldest_seq: this.oldest, retryable: false }, 410);
    }
    if (after > newest) {
      const details = [{ path: "after", message: "too large" }];
      return json({ error: "after: too large", code: "invalid", details, retryable: false }, 400);
    }
    let previous = after;
    const events = this.kinds
      .map((event, index) => ({ seq: index + 1, event }))
      .filter(({ seq, event }) => seq > after && (types === null || types.includes(event)))
      .slice(0, Number(query.get("limit")))
      .map(({ seq, event }) => {
        const prev_seq = previous;
        previous = seq;
        return { seq, prev_seq, event, at: "2026-11-21T08:30:00.000Z", data: { email_id: String(seq) } };
      });
    return json({ events, last_seq: newest, oldest_seq: this.oldest });
  }
}

/** Reads until `count` events came. */
async function take(events: AsyncIterable<Change>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  if (count === 0) return seqs;
  for await (const { seq } of events) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

/** Waits without timers, which a test may have taken over. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const faults: fc.Arbitrary<Fault | null> = fc.constantFrom<(Fault | null)[]>(
  null,
  null,
  { kind: "drop" },
  { kind: "cut", body: '{"events":[{"seq":1' },
  json({ error: "Busy", code: "unavailable", retryable: true }, 503, { "Retry-After": "0" }),
  json({ error: "Too many", code: "rate_limited", retryable: true }, 429, { "Retry-After": "0" }),
);

describe("events", () => {
  it("brings every event once and in order, whatever happens to the connection", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...KINDS), { maxLength: 250 }),
        fc.option(fc.uniqueArray(fc.constantFrom(...KINDS), { minLength: 1 }), { nil: undefined }),
        fc.array(faults, { maxLength: 12 }),
        async (kinds, types, planned) => {
          const log = new Log();
          const rest = [...planned];
          server.answers((seen) => {
            // Events are added while they are read.
            log.kinds.push(...kinds.slice(log.kinds.length, log.kinds.length + 40));
            return rest.shift() ?? log.answer(seen);
          });
          const wanted = kinds.flatMap((kind, index) => ((types ?? KINDS).includes(kind) ? [index + 1] : []));
          expect(await take(mail.events({ after: 0, types }), wanted.length)).toEqual(wanted);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("goes on after the event that was handled last", async () => {
    const log = new Log();
    log.kinds.push(...Array<string>(5).fill("message.received"));
    server.answers((seen) => log.answer(seen));
    expect(await take(mail.events({ after: 3 }), 2)).toEqual([4, 5]);
  });

  it("begins, without `after`, with what happens after the call", async () => {
    const log = new Log();
    log.kinds.push(...Array<string>(5).fill("message.received"));
    log.oldest = 3;
    server.answers((seen) => log.answer(seen));
    const events = mail.events();
    await vi.waitFor(() => expect(server.seen.length).toBe(2));
    log.kinds.push("message.received");
    expect(await take(events, 1)).toEqual([6]);
  });

  it("throws GapError when events between are no longer kept", async () => {
    const log = new Log();
    log.kinds.push(...Array<string>(9).fill("message.received"));
    log.oldest = 6;
    server.answers((seen) => log.answer(seen));
    const read = take(mail.events({ after: 2 }), 1);
    await expect(read).rejects.toBeInstanceOf(GapError);
    await expect(read).rejects.toMatchObject({ after: 2, oldestSeq: 6 });
    expect(await take(mail.events({ after: 5 }), 4)).toEqual([6, 7, 8, 9]);
  });

  it("throws GapError when the log is a shorter one, as after a restore", async () => {
    const log = new Log();
    server.answers((seen) => log.answer(seen));
    await expect(take(mail.events({ after: 2 }), 1)).rejects.toMatchObject({
      name: "GapError",
      after: 2,
      oldestSeq: null,
    });
  });

  it("throws GapError when an answer skips an event", async () => {
    const skipped = { seq: 3, prev_seq: 2, event: "message.received", at: "", data: {} };
    server.orders(json({ events: [skipped], last_seq: 3, oldest_seq: 1 }));
    await expect(take(mail.events({ after: 1 }), 1)).rejects.toMatchObject({ name: "GapError", after: 1 });
  });

  it("takes no gap from events of other kinds that are no longer kept", async () => {
    const log = new Log();
    log.kinds.push(...Array<string>(5).fill("message.sent"));
    let calls = 0;
    server.answers((seen) => {
      calls += 1;
      if (calls === 2) log.oldest = 6;
      if (calls === 3) log.kinds.push("message.received");
      return log.answer(seen);
    });
    expect(await take(mail.events({ after: 0, types: ["message.received"] }), 1)).toEqual([6]);
  });

  it("rejects when the key is no longer right", async () => {
    server.orders(json({ error: "Unauthorized", code: "unauthorized", retryable: false }, 401));
    await expect(take(mail.events(), 1)).rejects.toMatchObject({ status: 401, code: "unauthorized" });
  });

  it("makes a connection again that was lost without a word", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const log = new Log();
    log.kinds.push("message.received");
    server.answers((seen) => (server.seen.length === 1 ? { kind: "silence" } : log.answer(seen)));
    const read = take(mail.events({ after: 0 }), 1);
    await until(() => server.seen.length === 1);
    // The service holds a call for 25 s at most.
    await vi.advanceTimersByTimeAsync(60_000);
    await until(() => server.seen.length === 2);
    expect(await read).toEqual([1]);
  });

  it("ends when the caller's signal aborts", async () => {
    server.orders({ kind: "silence" });
    const controller = new AbortController();
    const read = take(mail.events({ after: 0, signal: controller.signal }), 1);
    await vi.waitFor(() => expect(server.seen.length).toBe(1));
    controller.abort();
    expect(await read).toEqual([]);
  });
});

describe("waiting", () => {
  const FOUND = { id: "1", code: "482913", link: null };

  it("asks for a code again until one comes", async () => {
    server.orders(json({ code: null }), { kind: "drop" }, json({ code: null }), json(FOUND));
    expect(await mail.codes.wait({ from: "shop" })).toEqual(FOUND);
    expect(server.seen).toHaveLength(4);
    for (const { path } of server.seen)
      expect(path).toMatch(/^\/v1\/code\?max_age=600&from=shop&timeout=5\d$/);
  });

  it.each([
    [{ since: new Date("2026-11-01T12:00:00Z") }, "since=2026-11-01T12%3A00%3A00.000Z&"],
    [{ max_age: 0 }, "max_age=0&"],
    [{ max_age: 30 }, "max_age=30&"],
  ])("asks for codes of another age only where the caller says so: %j", async (age, query) => {
    server.orders(json(FOUND));
    expect(await mail.codes.wait(age)).toEqual(FOUND);
    expect(server.seen[0]?.path).toMatch(new RegExp(`^/v1/code\\?${query}timeout=`));
  });

  it("is null when no code comes in time", async () => {
    server.orders({ kind: "silence" });
    expect(await mail.codes.wait({ timeoutMs: 50 })).toBeNull();
  });

  it("rejects at the end of the time if the service could not be asked", async () => {
    server.orders({ kind: "drop" });
    await expect(mail.codes.wait({ timeoutMs: 500 })).rejects.toMatchObject({ code: "unreachable" });
    await expect(mail.waitFor({ timeoutMs: 500 })).rejects.toMatchObject({ code: "unreachable" });
  });

  it("is null where the service came back and held the call to the end", async () => {
    const log = new Log();
    const isHeld = ({ path }: Seen) => path.includes("wait=");
    server.answers((seen) => {
      if (!isHeld(seen)) return log.answer(seen);
      return server.seen.filter(isHeld).length === 1 ? { kind: "drop" } : { kind: "silence" };
    });
    expect(await mail.waitFor({ timeoutMs: 3_000 })).toBeNull();
  });

  it("rejects with the reason of the caller's signal", async () => {
    server.orders({ kind: "silence" });
    const reason = new Error("No longer needed");
    const controller = new AbortController();
    const waits = [
      mail.codes.wait({ signal: controller.signal }),
      mail.waitFor({ signal: controller.signal }),
      mail.threads.awaitReply("1", { signal: controller.signal }),
    ];
    await vi.waitFor(() => expect(server.seen.length).toBeGreaterThanOrEqual(3));
    controller.abort(reason);
    for (const wait of waits) await expect(wait).rejects.toBe(reason);
  });

  it("gives up a code that is handed out once only between two polls", async () => {
    server.orders(json({ code: null }));
    vi.useFakeTimers({ toFake: ["performance"] });
    const wait = mail.codes.wait({ consume: true, timeoutMs: 2_500 });
    await vi.waitFor(() => expect(server.seen.length).toBeGreaterThan(0));
    vi.advanceTimersByTime(2_000);
    expect(await wait).toBeNull();
    expect(server.seen.map(({ path }) => path)[0]).toBe("/v1/code?max_age=600&consume=true&timeout=2");
    vi.useRealTimers();
  });
});
