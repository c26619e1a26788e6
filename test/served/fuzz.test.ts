import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Email } from "../../src/contract/message.ts";
import { inParallel } from "./client.ts";
import type { Answer, MailboxKey, Service } from "./client.ts";
import { corpusMessages } from "./corpus.ts";
import { message } from "./messages.ts";
import { SEEDS, mutantOf, recipe } from "./mutation.ts";
import { Server } from "./server.ts";
import { sendMail } from "./smtp.ts";

const CASES = 2_000;
const PARALLEL = 16;
/** An answer that takes longer counts as a hang, in ms: the slowest mutants take a second. */
const HANG_MS = 30_000;
/** Larger messages are not mutated, because one takes as long as many small ones. */
const MAX_SEED_BYTES = 100_000;

let server: Server;
let service: Service;

beforeAll(async () => {
  server = await Server.start();
  service = server.service;
}, 180_000);

afterAll(() => server.stop());

/** Generates cases and tries each. The error of the first failure contains what is needed to repeat it. */
async function tryEach<Case>(
  cases: fc.Arbitrary<Case>,
  count: number,
  attempt: (one: Case) => Promise<void>,
): Promise<void> {
  const sample = fc.sample(cases, { numRuns: count });
  await inParallel(sample, PARALLEL, async (one, index) => {
    try {
      await attempt(one);
    } catch (error) {
      throw new Error(`Case ${index} of SEED=${inject("seed")}: ${fc.stringify(one)}`, { cause: error });
    }
  });
}

describe("2,000 mutated messages", () => {
  it("are each received, listed, readable, and returned byte for byte", { timeout: 300_000 }, async () => {
    const box = await service.createMailbox();
    const seeds = [...SEEDS, ...corpusMessages().map(({ bytes }) => bytes)].filter(
      ({ length }) => length <= MAX_SEED_BYTES,
    );
    const stored = new Map<string, Buffer>();
    await tryEach(recipe, CASES, async (one) => {
      const bytes = mutantOf(one, seeds);
      const handed = await service.handOver(box.mailbox, bytes);
      expect(handed.status).toBe(202);
      await expectStored(box, handed.body, bytes);
    });

    async function expectStored({ api_key }: MailboxKey, { id, duplicate }: Handed, bytes: Buffer) {
      if (!duplicate) stored.set(id, bytes);
      const raw = await service.raw(api_key, id);
      // A duplicate differs from the first message at most in trace fields.
      const expected = duplicate ? (stored.get(id) ?? raw) : bytes;
      expect(raw.equals(expected)).toBe(true);
      const email = await service.email(api_key, id);
      expect(Email.safeParse(email).error).toBeUndefined();
      expect(email.size_bytes).toBe(expected.length);
    }

    const inbox = await service.inbox(box.api_key);
    expect(inbox.map(({ id }) => id).toSorted()).toEqual([...stored.keys()].toSorted());
    // Nearly all mutants must differ, else the mutations do nothing.
    expect(stored.size).toBeGreaterThan(CASES * 0.9);
    const threads = await service.threads(box.api_key);
    expect(threads.reduce((sum, one) => sum + one.message_count, 0)).toBe(stored.size);
    const stats = (await service.ask<Stats>("/v1/stats", { key: box.api_key })).body;
    expect(stats.total_emails).toBe(stored.size);
    expect(stats.ingest.parsed + stats.ingest.failed).toBe(stored.size);
    expect((await service.call("/health")).status).toBe(200);
  });
});

interface Handed {
  id: string;
  duplicate: boolean;
}

interface Stats {
  total_emails: number;
  ingest: { parsed: number; failed: number };
}

/** The runtime reads request line and headers up to 64 KiB; a longer request never reaches the service. */
const MAX_URL_CHARS = 60_000;

/** Text of an attacker: syntax of FTS5 and SQL, many brackets, control characters, any code point. */
const NASTY = [
  '"',
  "'",
  "''",
  '"""',
  "*",
  "a*",
  "**",
  "(",
  ")",
  "((((",
  "NEAR(",
  "NEAR(a b, 5)",
  "AND",
  "a AND",
  "OR OR",
  "NOT",
  "a NOT b",
  "-a",
  "--",
  "^a",
  "{subject} : x",
  "nope:x",
  "subject:",
  'from:"',
  "before:9999-99-99",
  "after:-1",
  "has:nothing",
  "label:'",
  ";",
  "'; DROP TABLE messages; --",
  "' OR 1=1 --",
  "%",
  "_",
  "%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%",
  "\\",
  "\0",
  "a\0b",
  "\r\n\r\n",
  "\u2028",
  "\u{e0041}",
  "\ufeff",
  "\u202e",
  "中",
  "中文",
  "İ",
  "ﬀ",
  "e\u0301",
  "👩‍👩‍👧",
  "__proto__",
  "constructor",
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e9",
  "1.5",
  "99999999999999999999",
  "2026-02-30",
  "9999-12-31T23:59:59Z",
  "../../../etc/passwd",
  "<script>",
];
const LONG = ["(", '"', "中", "a ", "*", "-", 'a"', "%"].map((unit) =>
  unit.repeat(Math.floor(10_000 / Buffer.byteLength(unit))),
);

const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.array(fc.constantFrom(...NASTY), { minLength: 2, maxLength: 8 }).map((words) => words.join(" ")),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
);

/** A text as part of a URL; sometimes with invalid UTF-8 or invalid percent-encoding. */
const written: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: text.map((one) => encodeURIComponent(one.toWellFormed())) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ minLength: 1, maxLength: 20 })
      .map((bytes) => Buffer.from(bytes).toString("hex").replace(/../g, "%$&")),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("%", "%zz", "%u0041", "+", "&", "=", "&&=", "%ED%A0%80", "%C0%AF"),
  },
);

const filters = ["query", "from", "to", "subject", "label", "direction", "mode", "has_attachment"];
const bounds = ["limit", "offset", "cursor", "since", "until"];
const cursors = written.map((one) => (/^[\w%.-]{1,60}$/.test(one) ? one : "1-1"));

/** Requests to a mailbox, none of which waits. */
const queries: fc.Arbitrary<string> = fc
  .oneof(
    fc
      .tuple(
        fc.constantFrom("/v1/search", "/v1/inbox", "/v1/threads"),
        fc.array(fc.tuple(fc.constantFrom("q", ...filters, ...bounds), written), {
          minLength: 1,
          maxLength: 4,
        }),
      )
      .map(([path, fields]) => `${path}?${fields.map(([name, value]) => `${name}=${value}`).join("&")}`),
    fc
      .tuple(fc.constantFrom("from", "since", "kind", "consume", "timeout"), written)
      // A wrong `timeout` beside the right one is refused, so nothing here waits longer than a second.
      .map(([name, value]) => `/v1/code?timeout=1&${name}=${value}`),
    fc
      .tuple(fc.constantFrom("/v1/email", "/v1/thread", "/v1/attachment"), written)
      .map(([path, id]) => `${path}?id=${id}`),
    fc
      .tuple(fc.constantFrom("/v1/emails/", "/v1/threads/", "/v1/attachments/"), written)
      .map(([path, id]) => `${path}${id.replace(/[&=]/g, "x")}`),
    fc
      .tuple(fc.constantFrom("/v1/inbox", "/v1/search", "/v1/threads"), cursors)
      .map(([path, cursor]) => `${path}?q=code&cursor=${cursor}`),
    fc.tuple(written, written).map(([name, value]) => `/v1/inbox?${name}=${value}`),
  )
  .filter((path) => path.length <= MAX_URL_CHARS);

/** Statuses that such a request may get; never one of a server error. */
const TOLD = [200, 400, 403, 404, 405];

describe("2,000 hostile queries", () => {
  let box: MailboxKey;

  beforeAll(async () => {
    box = await service.createMailbox();
    await sendMail(server.smtpPort, {
      from: "ann@example.com",
      to: box.mailbox,
      subject: "The real one",
      text: "Your code is 482913.",
      attachments: [{ filename: "a.txt", content: "a" }],
    });
    for (let n = 0; n < 30; n += 1)
      await service.handOver(box.mailbox, message({ subject: `Mail ${n} 中文` }));
  });

  it(
    "are each answered in JSON without a server error, and change nothing",
    { timeout: 300_000 },
    async () => {
      const before = await service.inbox(box.api_key);
      const seen = new Set<number>();
      await tryEach(queries, CASES, async (path) => {
        const answer = await ask(path);
        expect(TOLD).toContain(answer.status);
        expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(saysOnlyWhatItShould(answer)).toBe(true);
        seen.add(answer.status);
      });
      // Valid and invalid requests were among them.
      expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404]));
      expect(await service.inbox(box.api_key)).toEqual(before);
      expect((await service.call("/health")).status).toBe(200);
    },
  );

  it("are valid searches, whatever the text", { timeout: 120_000 }, async () => {
    await tryEach(text, 400, async (one) => {
      const wellFormed = one.toWellFormed();
      const answer = await ask(`/v1/search?q=${encodeURIComponent(wellFormed)}`);
      expect(answer.status).toBe(wellFormed === "" ? 400 : 200);
    });
    expect((await service.search(box.api_key, "real")).map(({ subject }) => subject)).toEqual([
      "The real one",
    ]);
  });

  it("that are longer than the runtime reads are refused, and the server continues", async () => {
    const statuses = await inParallel([70_000, 1_000_000], 2, async (length) => {
      return (await ask(`/v1/search?q=${"a".repeat(length)}`)).status;
    });
    // RFC 9110 §15.5.15 and RFC 6585 §5: the URL, or all the header.
    for (const status of statuses) expect([414, 431]).toContain(status);
    expect((await ask(`/v1/search?q=${"%28".repeat(10_000)}`)).status).toBe(200);
  });

  const ask = (path: string): Promise<Answer> => service.call(path, { key: box.api_key, timeoutMs: HANG_MS });
});

/** Whether an answer is valid JSON whose error contains no SQL, no stack trace and no path of the source. */
function saysOnlyWhatItShould({ status, bytes }: Answer): boolean {
  const body = JSON.parse(bytes.toString("utf8")) as { error?: unknown };
  if (status === 200) return true;
  return typeof body.error === "string" && !/SQLITE|SELECT|fts5|\bat \w+ \(|\.ts:|\/src\//.test(body.error);
}
