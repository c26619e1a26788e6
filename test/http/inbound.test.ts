import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  SENDER_CHECK_HEADER,
  writeCheckedSender,
  type CheckedSender,
} from "../../src/contract/checked-sender.ts";
import { problemBody, UNKNOWN_MAILBOX } from "../../src/contract/problem.ts";
import {
  advance,
  alarmOf,
  api,
  ask,
  bootstrap,
  createMailbox,
  deliver,
  DOMAIN,
  evict,
  inject,
  message,
  OPERATOR,
  plainMessage,
  resetClock,
  ringAlarm,
  rowsOf,
  setClock,
  tablesOf,
  withBindings,
} from "../harness.ts";
import { KEY_RECORD, signed } from "../signed-mail.ts";
import { outside } from "../webhook-target.ts";

interface Page {
  emails: { id: string; subject: string; to_address: string; from_address: string }[];
}
interface Email {
  to_address: string;
  from_address: string;
  metadata: {
    envelope_from: string;
    envelope_to: string;
    envelope_recipients?: string[];
    received_via: string;
  };
}
interface Outcome {
  to: string;
  status: number;
  id?: string;
  duplicate?: boolean;
  error?: string;
  full?: boolean;
}

const HOUR_MS = 3_600_000;
const LIMIT = 26_214_400;

afterEach(() => {
  resetClock();
  vi.restoreAllMocks();
});

const inbox = async (key: string) => (await ask<Page>("/v1/inbox?limit=100", { key })).body.emails;

/** A message of exactly `bytes`, with a body that costs a parser nothing. */
function sized(bytes: number): string {
  const head = plainMessage({ body: "" });
  const lines = "y".repeat(998);
  const room = bytes - head.length;
  return head + `${lines}\r\n`.repeat(Math.floor(room / 1_000)) + "z".repeat(room % 1_000);
}

/** A bucket that fails as long as it is told to. */
function faultyBucket() {
  const bucket = {
    put: vi.fn<() => Promise<R2Object>>(() => Promise.reject(new Error("The bucket is down"))),
    get: (): Promise<null> => Promise.reject(new Error("The bucket is down")),
    delete: vi.fn<() => Promise<void>>(() => Promise.reject(new Error("The bucket is down"))),
  };
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  return bucket;
}

describe("mail for nobody", () => {
  const gone = async () => {
    const { mailbox, api_key } = await createMailbox();
    await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
    return mailbox;
  };
  const over = async () => {
    const { mailbox } = await bootstrap();
    advance(72 * HOUR_MS);
    return mailbox;
  };
  const never = () => Promise.resolve(`never-${crypto.randomUUID()}@${DOMAIN}`);

  it.each([
    ["never was", never],
    ["was deleted", gone],
    ["is over", over],
  ])("is refused for good when the mailbox %s", async (_, address) => {
    const to = await address();
    for (const raw of [plainMessage(), sized(600_000)]) {
      const handed = await deliver(to, raw);
      expect([handed.status, handed.body]).toEqual([404, problemBody(UNKNOWN_MAILBOX)]);
      expect((await inject(raw, "sender@example.com", to)).rejected).toMatch(/^550 5\.1\.1 /);
    }
  });

  it("leaves no table, no alarm and no blob", async () => {
    const to = await never();
    const before = (await env.BLOBS.list()).objects.length;
    await deliver(to, plainMessage());
    await deliver(to, sized(600_000));
    await inject(plainMessage(), "sender@example.com", to);
    expect(await tablesOf(to)).toEqual([]);
    expect(await alarmOf(to)).toBeNull();
    expect((await env.BLOBS.list()).objects.length).toBe(before);
  });

  it("stores nothing in an expired mailbox, and makes it end", async () => {
    const to = await over();
    await deliver(to, plainMessage());
    await ringAlarm(to);
    expect(await rowsOf(to, "SELECT name FROM sqlite_master WHERE name = 'message'")).toEqual([]);
  });

  it.each([
    "",
    "nonsense",
    "@mailkeep.test",
    "two@at@mailkeep.test",
    "a b@mailkeep.test",
    "\u00e9@mailkeep.test",
  ])("is refused for good when the recipient is no address: %j", async (to) => {
    expect((await inject(plainMessage(), "sender@example.com", to)).rejected).toMatch(/^550 5\.1\.1 /);
  });
});

describe("a message that is too large", () => {
  it("is refused permanently at one byte over 26,214,400", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = new Uint8Array(LIMIT + 1).fill(0x61);
    const handed = await deliver(mailbox, raw);
    expect(handed.status).toBe(413);
    expect(handed.body).toMatchObject({ code: "too_large" });
    expect(JSON.stringify(handed.body)).toContain(String(LIMIT));
    expect((await inject(raw, "sender@example.com", mailbox)).rejected).toMatch(/^552 5\.3\.4 /);
    expect(await inbox(api_key)).toEqual([]);
  });

  it("is accepted at 26,214,400 bytes, and comes back byte for byte", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = sized(LIMIT);
    expect(raw.length).toBe(LIMIT);
    const handed = await deliver(mailbox, raw);
    expect(handed.status).toBe(202);
    const back = await api(`/v1/emails/${handed.body.id}/raw`, { key: api_key });
    expect(back.headers.get("Content-Length")).toBe(String(LIMIT));
    expect((await back.text()) === raw).toBe(true);
    await ask("/v1/mailbox", { key: api_key, method: "DELETE" });
  });

  it("is refused by its announced length without being read", async () => {
    const { mailbox } = await createMailbox();
    const body = new ReadableStream<Uint8Array>({
      pull() {
        throw new Error("The body was read");
      },
    });
    const headers = { "Content-Type": "message/rfc822", "Content-Length": String(LIMIT + 1) };
    expect((await api(`/v1/inbound?to=${mailbox}`, { key: OPERATOR, body, headers })).status).toBe(413);
  });
});

describe("the envelope", () => {
  it("decides where a message goes, whatever its To header says", async () => {
    const a = await createMailbox();
    const b = await createMailbox();
    const raw = plainMessage({ subject: "For A", headers: [`To: ${b.mailbox}`, `Cc: ${b.mailbox}`] });
    await deliver(a.mailbox, raw);
    expect((await inbox(a.api_key)).map((email) => [email.subject, email.to_address])).toEqual([
      ["For A", a.mailbox],
    ]);
    expect(await inbox(b.api_key)).toEqual([]);
  });

  it("is each recipient's own when one message has two", async () => {
    const a = await createMailbox();
    const b = await createMailbox();
    const raw = plainMessage({ headers: ["To: undisclosed-recipients:;"] });
    await inject(raw, "first@example.com", a.mailbox);
    await deliver(b.mailbox, raw, "second@example.com");
    const read = async (box: typeof a) => {
      const [email] = await inbox(box.api_key);
      return (await ask<Email>(`/v1/emails/${email?.id}`, { key: box.api_key })).body;
    };
    expect(await read(a)).toMatchObject({
      to_address: a.mailbox,
      metadata: {
        envelope_from: "first@example.com",
        envelope_to: a.mailbox,
        received_via: "email_routing",
      },
    });
    expect(await read(b)).toMatchObject({
      to_address: b.mailbox,
      metadata: { envelope_from: "second@example.com", envelope_to: b.mailbox, received_via: "http" },
    });
  });

  it("keeps its +tag in to_address, and reaches the mailbox in any case and spelling", async () => {
    const { mailbox, api_key } = await createMailbox();
    const [local = "", domain = ""] = mailbox.split("@");
    for (const to of [
      `${local}+shop@${domain}`,
      mailbox.toUpperCase(),
      `<${mailbox}>`,
      `"${local}"@${domain}.`,
    ]) {
      expect((await deliver(to, plainMessage())).status).toBe(202);
      expect(await inject(plainMessage(), "s@example.com", to)).toEqual({ rejected: null });
    }
    const seen = new Set((await inbox(api_key)).map((email) => email.to_address));
    expect([...seen].toSorted()).toEqual([`${local}+shop@${domain}`, mailbox].toSorted());
  });

  it("provides the sender if the message names none", async () => {
    const { mailbox, api_key } = await createMailbox();
    await deliver(mailbox, message(["Subject: No From"]), "bounce@example.com");
    await deliver(mailbox, message(["Subject: Nobody at all"]), "");
    expect((await inbox(api_key)).map((email) => email.from_address)).toEqual(["", "bounce@example.com"]);
  });

  it("contains the client's address and name as the SMTP listener gives them", async () => {
    const { mailbox, api_key } = await createMailbox();
    const query = new URLSearchParams({
      from: "a@example.com",
      to: mailbox,
      via: "smtp",
      client: "192.0.2.7",
      helo: "mx.example.com",
    });
    const handed = await ask<{ id: string }>(`/v1/inbound?${query.toString()}`, {
      key: OPERATOR,
      body: plainMessage(),
    });
    const { body } = await ask(`/v1/emails/${handed.body.id}`, { key: api_key });
    expect(body).toMatchObject({
      metadata: { received_via: "smtp", client_address: "192.0.2.7", helo: "mx.example.com" },
    });
  });

  it("is accepted from the operator only", async () => {
    const { mailbox, api_key } = await createMailbox();
    const hand = (key?: string) => api(`/v1/inbound?to=${mailbox}`, { key, body: plainMessage() });
    expect((await hand()).status).toBe(401);
    expect((await hand(api_key)).status).toBe(403);
    expect((await hand(OPERATOR)).status).toBe(202);
    expect((await inbox(api_key)).length).toBe(1);
  });
});

describe("one message for several recipients", () => {
  const deliverToAll = async (raw: string, recipients: readonly string[], vars = {}) => {
    const query = new URLSearchParams([["from", "s@example.com"], ...recipients.map((to) => ["to", to])]);
    return ask<{ recipients: Outcome[] }>(`/v1/inbound?${query.toString()}`, {
      key: OPERATOR,
      body: raw,
      vars,
    });
  };
  const tagged = (mailbox: string, count: number) =>
    Array.from({ length: count }, (_, n) => mailbox.replace("@", `+tag${n}@`));

  it.each([
    ["small", () => message(["From: ann@example.com", "Subject: No Message-ID"])],
    ["large", () => sized(600_000).replace(/^Message-ID:.*\r\n/m, "")],
  ])("is one copy in a mailbox that it names 100 times: a %s one", async (_, make) => {
    const { mailbox, api_key } = await createMailbox();
    const recipients = tagged(mailbox, 100);
    const raw = make();
    const blobs = (await env.BLOBS.list()).objects.length;
    const { status, body } = await deliverToAll(raw, recipients);
    expect(status).toBe(202);
    expect(body.recipients.map(({ to }) => to)).toEqual(recipients);
    expect(new Set(body.recipients.map((one) => one.status))).toEqual(new Set([202]));
    expect(new Set(body.recipients.map(({ id }) => id)).size).toBe(1);
    const [only, ...others] = await inbox(api_key);
    expect([only?.to_address, others]).toEqual([recipients[0], []]);
    const email = await ask<Email>(`/v1/emails/${only?.id}`, { key: api_key });
    expect(email.body).toMatchObject({
      to_address: recipients[0],
      metadata: { envelope_to: recipients[0], envelope_recipients: recipients },
    });
    expect((await ask("/v1/stats", { key: api_key })).body).toMatchObject({ storage_bytes: raw.length });
    expect((await env.BLOBS.list()).objects.length - blobs).toBe(raw.length > 524_288 ? 1 : 0);
  });

  it("has the single-recipient answer for one recipient, without a list", async () => {
    const { mailbox, api_key } = await createMailbox();
    const { status, body } = await deliverToAll(plainMessage(), [mailbox]);
    expect([status, body]).toEqual([202, { id: expect.any(String), duplicate: false }]);
    const [only] = await inbox(api_key);
    const email = await ask<Email>(`/v1/emails/${only?.id}`, { key: api_key });
    expect(email.body.metadata).not.toHaveProperty("envelope_recipients");
  });

  it("is one copy in each mailbox, which shows nothing of the others", async () => {
    const boxes = [await createMailbox(), await createMailbox()];
    for (const raw of [plainMessage({ subject: "small" }), sized(600_000)]) {
      const recipients = boxes.flatMap(({ mailbox }) => tagged(mailbox, 2));
      const { body } = await deliverToAll(raw, recipients);
      const ids = body.recipients.map(({ id }) => id);
      expect([ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2]]).toEqual([true, true, false]);
      for (const { mailbox, api_key } of boxes) {
        const [newest] = await inbox(api_key);
        const email = await ask<Email>(`/v1/emails/${newest?.id}`, { key: api_key });
        expect([newest?.to_address, email.body.metadata.envelope_recipients]).toEqual([
          tagged(mailbox, 2)[0],
          tagged(mailbox, 2),
        ]);
        const found = await ask<Page>(`/v1/search?mode=keyword&q=tag1`, { key: api_key });
        expect(found.body.emails.map(({ id }) => id)).toContain(newest?.id);
      }
    }
    for (const { api_key } of boxes) expect((await inbox(api_key)).length).toBe(2);
  });

  it("gets a result for each recipient, and a repeat is a duplicate where it was stored", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [good, full, failing] = [await createMailbox(), await bootstrap(), await createMailbox()];
    await rowsOf(full.mailbox, "UPDATE account SET storage_bytes = 100000000");
    await evict(full.mailbox);
    await rowsOf(
      failing.mailbox,
      "CREATE TRIGGER full BEFORE UPDATE OF inbound ON account BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
    );
    const nobody = `never-${crypto.randomUUID()}@${DOMAIN}`;
    const recipients = [good.mailbox, nobody, "no address", full.mailbox, failing.mailbox];
    const raw = plainMessage();
    const first = await deliverToAll(raw, recipients);
    expect(first.body.recipients).toMatchObject([
      { to: good.mailbox, status: 202, duplicate: false },
      { to: nobody, status: 404, error: "Unknown mailbox" },
      { to: "no address", status: 404, error: "Unknown mailbox" },
      { to: full.mailbox, status: 503, full: true },
      { to: failing.mailbox, status: 503 },
    ]);
    expect(first.body.recipients[4]).not.toHaveProperty("full");
    await rowsOf(failing.mailbox, "DROP TRIGGER full");
    const again = await deliverToAll(raw, recipients);
    expect(again.body.recipients).toMatchObject([
      { status: 202, duplicate: true, id: first.body.recipients[0]?.id },
      { status: 404 },
      { status: 404 },
      { status: 503 },
      { status: 202, duplicate: false },
    ]);
    expect((await inbox(good.api_key)).length).toBe(1);
  });

  it("is refused for all if it names more than 100 recipients, or none", async () => {
    const { mailbox, api_key } = await createMailbox();
    const tooMany = await deliverToAll(plainMessage(), tagged(mailbox, 101));
    expect([tooMany.status, tooMany.body]).toMatchObject([
      400,
      { error: "to: must be given at most 100 times" },
    ]);
    const none = await deliverToAll(plainMessage(), []);
    expect([none.status, none.body]).toMatchObject([400, { error: "to: is required" }]);
    expect((await deliverToAll(plainMessage(), [mailbox, ""])).status).toBe(400);
    expect(await inbox(api_key)).toEqual([]);
  });

  it("keeps all its recipients when it is reindexed", async () => {
    const { mailbox, api_key } = await createMailbox();
    const recipients = tagged(mailbox, 3);
    await deliverToAll(plainMessage(), recipients);
    const read = await ask(`/v1/mailboxes/${mailbox}/reindex`, { key: OPERATOR, method: "POST" });
    expect(read.body).toMatchObject({ reindexed: 1 });
    const [only] = await inbox(api_key);
    const email = await ask<Email>(`/v1/emails/${only?.id}`, { key: api_key });
    expect(email.body.metadata).toMatchObject({
      envelope_to: recipients[0],
      envelope_recipients: recipients,
    });
  });
});

describe("a server error", () => {
  it("is 503 with Retry-After, and an exception from email(), so that the sender tries again", async () => {
    const { mailbox, api_key } = await createMailbox();
    const BLOBS = faultyBucket();
    const raw = sized(600_000);
    const query = new URLSearchParams({ from: "s@example.com", to: mailbox });
    const failed = await ask(`/v1/inbound?${query.toString()}`, {
      key: OPERATOR,
      body: raw,
      vars: { BLOBS },
    });
    expect(failed.status).toBe(503);
    expect(failed.headers.get("Retry-After")).toBe("30");
    expect(failed.body).toMatchObject({ code: "unavailable" });
    await expect(inject(raw, "s@example.com", mailbox, { BLOBS })).rejects.toThrow(/bucket is down/);
    expect(await inbox(api_key)).toEqual([]);
    expect((await deliver(mailbox, raw)).body).toMatchObject({ duplicate: false });
    expect((await deliver(mailbox, raw)).body).toMatchObject({ duplicate: true });
    expect((await inbox(api_key)).length).toBe(1);
  });

  it("does not touch small messages, which need no bucket", async () => {
    const { mailbox } = await createMailbox();
    expect((await deliver(mailbox, plainMessage(), "s@example.com", { BLOBS: faultyBucket() })).status).toBe(
      202,
    );
  });

  it("of the actor is temporary too, and retried up to three times if the platform marks it retryable", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const failing = (marks: object) => {
      const receive = vi.fn<() => Promise<never>>(() =>
        Promise.reject(Object.assign(new Error("Actor failed"), marks)),
      );
      return { receive, MAILBOX: { getByName: () => ({ receive }) } };
    };
    const query = new URLSearchParams({ from: "s@example.com", to: `any@${DOMAIN}` });
    const hand = (MAILBOX: object) =>
      ask(`/v1/inbound?${query.toString()}`, { key: OPERATOR, body: plainMessage(), vars: { MAILBOX } });
    for (const [marks, tries] of [
      [{}, 1],
      [{ retryable: true }, 3],
      [{ retryable: true, overloaded: true }, 1],
    ] as const) {
      const { receive, MAILBOX } = failing(marks);
      expect((await hand(MAILBOX)).status).toBe(503);
      expect(receive).toHaveBeenCalledTimes(tries);
    }
  });

  it("during a transaction stores nothing, and the retry is stored once", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { mailbox, api_key } = await createMailbox();
    const raw = plainMessage({ subject: "All or nothing" });
    await rowsOf(
      mailbox,
      "CREATE TRIGGER full BEFORE UPDATE OF inbound ON account BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
    );
    expect((await deliver(mailbox, raw)).status).toBe(503);
    await expect(inject(raw, "s@example.com", mailbox)).rejects.toThrow(/full/);
    // Even the tables of its first message are undone with it.
    expect((await tablesOf(mailbox)).toSorted()).toEqual(["account"]);
    expect(await inbox(api_key)).toEqual([]);
    expect((await ask("/v1/stats", { key: api_key })).body).toMatchObject({
      total_emails: 0,
      storage_bytes: 0,
    });
    await rowsOf(mailbox, "DROP TRIGGER full");
    expect((await deliver(mailbox, raw)).body).toMatchObject({ duplicate: false });
    expect((await inbox(api_key)).map((email) => email.subject)).toEqual(["All or nothing"]);
  });

  it("has no effect if the second try works", async () => {
    const { mailbox, api_key } = await createMailbox();
    let calls = 0;
    const MAILBOX = {
      getByName: (name: string) => ({
        receive: (mail: Parameters<ReturnType<typeof env.MAILBOX.getByName>["receive"]>[0]) => {
          calls += 1;
          if (calls === 1) return Promise.reject(Object.assign(new Error("Broken"), { retryable: true }));
          return env.MAILBOX.getByName(name).receive(mail);
        },
      }),
    };
    expect((await deliver(mailbox, plainMessage(), "s@example.com", { MAILBOX })).status).toBe(202);
    expect((await inbox(api_key)).length).toBe(1);
  });
});

describe("blobs that no message uses", () => {
  const keysOf = async () => (await env.BLOBS.list()).objects.map((object) => object.key);

  it("are reserved before they are written, and erased an hour later", async () => {
    const { mailbox } = await createMailbox();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    // The put works, but the router dies before the rows are written.
    const MAILBOX = {
      getByName: (name: string) => ({
        reserve: (keys: string[], bytes: number) => env.MAILBOX.getByName(name).reserve(keys, bytes),
        receive: () => Promise.reject(new Error("The isolate is gone")),
      }),
    };
    const before = await keysOf();
    expect((await deliver(mailbox, sized(600_000), "s@example.com", { MAILBOX })).status).toBe(503);
    const orphans = (await keysOf()).filter((key) => !before.includes(key));
    expect(orphans.length).toBe(1);
    const planned = await rowsOf<{ key: string; due_at: number }>(
      mailbox,
      "SELECT key, due_at FROM blob_to_erase",
    );
    expect(planned.map((row) => row.key)).toEqual(expect.arrayContaining(orphans));
    expect(await alarmOf(mailbox)).toBe(planned[0]?.due_at);
    expect(Math.abs((planned[0]?.due_at ?? 0) - Date.now() - HOUR_MS)).toBeLessThan(60_000);
    await ringAlarm(mailbox);
    expect(await keysOf()).toEqual(expect.arrayContaining(orphans));
    advance(HOUR_MS + 60_000);
    await ringAlarm(mailbox);
    expect(await keysOf()).toEqual(before);
    expect(await rowsOf(mailbox, "SELECT key FROM blob_to_erase")).toEqual([]);
    expect(await alarmOf(mailbox)).toBeNull();
  });

  it("include those of a duplicate", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = sized(600_000);
    const before = await keysOf();
    const first = await deliver(mailbox, raw);
    await deliver(mailbox, raw);
    expect((await keysOf()).length).toBe(before.length + 1);
    advance(HOUR_MS + 60_000);
    await ringAlarm(mailbox);
    expect((await keysOf()).length).toBe(before.length + 1);
    const back = await api(`/v1/emails/${first.body.id}/raw`, { key: api_key });
    expect((await back.text()) === raw).toBe(true);
  });

  it("do not include those of a stored message, which survive every alarm", async () => {
    const { mailbox, api_key } = await createMailbox();
    const raw = sized(600_000);
    const { body } = await deliver(mailbox, raw);
    advance(48 * HOUR_MS);
    await ringAlarm(mailbox);
    expect((await (await api(`/v1/emails/${body.id}/raw`, { key: api_key })).text()) === raw).toBe(true);
  });

  it("are retried a minute later if the bucket fails, and the alarm continues", async () => {
    const { mailbox, api_key } = await createMailbox();
    // An hour ahead, so that the alarm rings when the test rings it, and not before.
    setClock(Date.now() + HOUR_MS);
    const { body } = await deliver(mailbox, sized(600_000));
    const before = await keysOf();
    await ask(`/v1/emails/${body.id}`, { key: api_key, method: "DELETE" });
    const BLOBS = faultyBucket();
    await withBindings(mailbox, { BLOBS }, async () => {
      for (let count = 0; count < 8; count += 1) {
        await ringAlarm(mailbox);
        expect(await alarmOf(mailbox)).toBe(Date.now() + 60_000);
        advance(60_000);
      }
    });
    expect(BLOBS.delete.mock.calls.length).toBe(8);
    expect(await keysOf()).toEqual(before);
    await evict(mailbox);
    await ringAlarm(mailbox);
    expect((await keysOf()).length).toBe(before.length - 1);
  });
});

describe("a mailbox that is full", () => {
  it("refuses temporarily what does not fit, and accepts what does", async () => {
    const { mailbox, api_key } = await bootstrap();
    const raw = plainMessage();
    const room = 100_000_000 - raw.length;
    const fill = async (bytes: number) => {
      await rowsOf(mailbox, "UPDATE account SET storage_bytes = ?", bytes);
      await evict(mailbox);
    };
    await fill(room + 1);
    const refused = await ask(`/v1/inbound?to=${mailbox}`, { key: OPERATOR, body: raw });
    expect([refused.status, refused.body]).toEqual([
      503,
      problemBody({
        error: "Mailbox is full (max 100000000 bytes)",
        code: "unavailable",
        extra: { full: true },
        retryAfterSeconds: 3_600,
      }),
    ]);
    expect(refused.headers.get("Retry-After")).toBe("3600");
    await expect(inject(raw, "s@example.com", mailbox)).rejects.toThrow(/full/);
    expect((await deliver(mailbox, sized(600_000))).status).toBe(503);
    expect(await rowsOf(mailbox, "SELECT key FROM blob_to_erase")).toEqual([]);
    await fill(room);
    expect((await deliver(mailbox, raw)).status).toBe(202);
    expect((await ask("/v1/stats", { key: api_key })).body).toMatchObject({ storage_bytes: 100_000_000 });
  });

  it("has fifty times the quota if it is permanent, and has room again after a deletion", async () => {
    const { mailbox, api_key } = await createMailbox();
    const { body } = await deliver(mailbox, plainMessage());
    await rowsOf(mailbox, "UPDATE account SET storage_bytes = ?", 5_000_000_000);
    await evict(mailbox);
    const next = plainMessage({ subject: "x" });
    expect((await deliver(mailbox, next)).status).toBe(503);
    await ask(`/v1/emails/${body.id}`, { key: api_key, method: "DELETE" });
    expect((await deliver(mailbox, next)).status).toBe(202);
  });
});

describe("who sent a message that is handed over", () => {
  const DOH = { DOH_URL: "https://doh.example/dns-query" };
  const GATEWAY = "Authentication-Results: mx.mailkeep.test; dmarc=pass header.from=example.com";
  const checked: CheckedSender = {
    from_domain: "example.com",
    spf: "none",
    dmarc: "pass",
    dmarc_by_spf: false,
    signatures: [
      {
        domain: "example.com",
        selector: "s\u00e9",
        algorithm: "rsa-sha256",
        bits: 2_048,
        result: "pass",
        aligned: true,
        covers: ["to"],
      },
    ],
    arc: null,
  };

  const hand = async (box: { mailbox: string }, raw: string, header: string) =>
    ask<{ id: string; error?: string }>(`/v1/inbound?from=a@example.com&to=${box.mailbox}&via=smtp`, {
      key: OPERATOR,
      body: raw,
      headers: { "Content-Type": "message/rfc822", [SENDER_CHECK_HEADER]: header },
    });
  const newest = async (key: string) => {
    const [first] = await inbox(key);
    const { body } = await ask<{ authentication: unknown; sender_verified: boolean }>(
      `/v1/emails/${first?.id ?? ""}`,
      { key },
    );
    return body;
  };
  /** The answers of a resolver that knows one key, and no DMARC record. */
  const resolver = (isUp = true) =>
    outside(({ url }) => {
      const name = new URL(url).searchParams.get("name");
      if (!isUp) return new Response("", { status: 500 });
      if (name !== "s1._domainkey.example.com") return Response.json({ Status: 3 });
      return Response.json({ Status: 0, Answer: [{ name, type: 16, TTL: 300, data: `"${KEY_RECORD}"` }] });
    });

  it("is what the SMTP listener says, and nothing that the message says", async () => {
    const box = await createMailbox();
    expect((await hand(box, plainMessage({}), writeCheckedSender(checked))).status).toBe(202);
    expect(await newest(box.api_key)).toMatchObject({
      sender_verified: true,
      authentication: {
        verdict: "pass",
        aligned_domain: "example.com",
        checked_by: "self",
        dkim: "pass",
        signatures: checked.signatures,
      },
    });
    await hand(box, plainMessage({ headers: [GATEWAY] }), writeCheckedSender(null));
    expect(await newest(box.api_key)).toMatchObject({ authentication: null, sender_verified: false });
    const failed = { ...checked, dmarc: "fail", signatures: [] } satisfies CheckedSender;
    await hand(box, plainMessage({ headers: [GATEWAY] }), writeCheckedSender(failed));
    expect(await newest(box.api_key)).toMatchObject({
      authentication: { verdict: "fail", checked_by: "self" },
      sender_verified: false,
    });
  });

  describe("if DNS did not answer when it came", () => {
    const unchecked = {
      ...checked,
      dmarc: "temperror",
      spf: "temperror",
      signatures: [],
    } satisfies CheckedSender;
    const failed = { ...checked, dmarc: "fail", signatures: [] } satisfies CheckedSender;
    const verdicts = async (key: string) =>
      Promise.all(
        (await inbox(key)).map(async ({ id }) => {
          const { body } = await ask<{ authentication: { verdict: string }; sender_verified: boolean }>(
            `/v1/emails/${id}`,
            { key },
          );
          return [body.authentication.verdict, body.sender_verified];
        }),
      );

    it.each([
      ["small", plainMessage({})],
      ["large", plainMessage({ body: "x\n".repeat(300_000) })],
    ])("is what a repeat of the %s message says, and no later repeat changes it", async (_, raw) => {
      const box = await createMailbox();
      const { body: first } = await hand(box, raw, writeCheckedSender(unchecked));
      expect(await verdicts(box.api_key)).toEqual([["temperror", false]]);
      await hand(box, raw, writeCheckedSender(null));
      expect(await verdicts(box.api_key)).toEqual([["temperror", false]]);
      const { body: second } = await hand(box, raw, writeCheckedSender(checked));
      expect(second).toEqual({ id: first.id, duplicate: true });
      expect(await verdicts(box.api_key)).toEqual([["pass", true]]);
      await hand(box, raw, writeCheckedSender(failed));
      expect(await verdicts(box.api_key)).toEqual([["pass", true]]);
    });

    it("is what proves a repeat forged", async () => {
      const box = await createMailbox();
      const raw = plainMessage({});
      for (const sender of [unchecked, failed, checked]) await hand(box, raw, writeCheckedSender(sender));
      expect(await verdicts(box.api_key)).toEqual([["fail", false]]);
    });

    it("is not what another message with the same Message-ID says", async () => {
      const box = await createMailbox();
      const forged = plainMessage({ body: "Forged." });
      await hand(box, forged, writeCheckedSender(unchecked));
      await hand(box, forged.replace("Forged.", "Real."), writeCheckedSender(checked));
      expect(await verdicts(box.api_key)).toEqual([
        ["pass", true],
        ["temperror", false],
      ]);
    });

    it("lets an expectation have the code of the repeat, unless the message came before the expectation", async () => {
      const box = await createMailbox();
      const expect_ = async () =>
        (
          await ask<{ id: string }>("/v1/expect", {
            key: box.api_key,
            method: "POST",
            json: { from_domain: "example.com" },
          })
        ).body.id;
      const headers = [`To: ${box.mailbox}`];
      const raw = plainMessage({ headers, subject: "Your code is 482913" });
      const early = await expect_();
      await hand(box, raw, writeCheckedSender(unchecked));
      const late = await expect_();
      await hand(box, raw, writeCheckedSender(checked));
      const found = async (id: string) =>
        (await ask<{ status: string; code: string | null }>(`/v1/expect/${id}`, { key: box.api_key })).body;
      expect(await found(early)).toMatchObject({ status: "matched", code: "482913" });
      expect(await found(late)).toMatchObject({ status: "waiting", code: null });
    });
  });

  it("is not the author that the listener judged, if another one is shown", async () => {
    const box = await createMailbox();
    await hand(box, plainMessage({ from: "boss@bank.example" }), writeCheckedSender(checked));
    expect(await newest(box.api_key)).toMatchObject({ authentication: { verdict: "fail" } });
  });

  it.each([
    ["", "empty"],
    ["true", "no object"],
    ["{}", "without members"],
    ['{"from_domain":', "cut"],
    [JSON.stringify({ ...checked, verdict: "pass" }), "with a member too many"],
    [
      JSON.stringify({ ...checked, signatures: Array(11).fill(checked.signatures[0]) }),
      "with many signatures",
    ],
    [JSON.stringify({ ...checked, from_domain: "x".repeat(300) }), "with a long domain"],
    [JSON.stringify({ ...checked, pad: "x".repeat(17_000) }), "too long"],
  ])("is refused as 400 where the header is %.30j (%s)", async (header) => {
    const box = await createMailbox();
    const answer = await hand(box, plainMessage({}), header.replaceAll(/[^\x20-\x7e]/g, "?"));
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.stringContaining("Mailkeep-Sender-Check: must be"),
    ]);
    expect(await inbox(box.api_key)).toEqual([]);
  });

  it("is verified by ourselves beside the gateway where a resolver is set", async () => {
    const world = resolver();
    const box = await createMailbox();
    const text = await signed(plainMessage({}), "example.com");
    await deliver(box.mailbox, text, "a@example.com", DOH);
    expect(await newest(box.api_key)).toMatchObject({
      authentication: { verdict: "pass", checked_by: "self", signatures: [{ bits: 2_048, result: "pass" }] },
    });
    const asked = world.sent.length;
    const dkim = "dkim=pass header.d=example.com";
    const reported = `Authentication-Results: mx.mailkeep.test; ${dkim}; dmarc=none header.from=example.com`;
    const other = await signed(plainMessage({ body: "Another." }), "example.com");
    await deliver(box.mailbox, `${reported}\r\n${other}`, "a@example.com", DOH);
    expect(await newest(box.api_key)).toMatchObject({
      authentication: { verdict: "pass", checked_by: "border" },
    });
    // The answers were remembered.
    expect(world.sent).toHaveLength(asked);
    const changed = (await signed(plainMessage({ body: "Third." }), "example.com")).replace("Third", "3rd");
    await deliver(box.mailbox, `${reported}\r\n${changed}`, "a@example.com", DOH);
    expect(await newest(box.api_key)).toMatchObject({
      authentication: { verdict: "none", checked_by: "border", conflict: true },
    });
  });

  it("is verified by Email Routing and by ourselves; no mail is lost without a resolver", async () => {
    resolver();
    const box = await createMailbox();
    const results = (dkim: string) =>
      `Received: from a by cloudflare-email.net\r\nAuthentication-Results: mx.cloudflare.net; dkim=${dkim} header.d=example.com; dmarc=none header.from=example.com\r\n`;
    const text = await signed(plainMessage({}), "example.com");
    await inject(`${results("pass")}${text}`, "a@example.com", box.mailbox, DOH);
    expect(await newest(box.api_key)).toMatchObject({
      sender_verified: true,
      authentication: { verdict: "pass", checked_by: "cloudflare", conflict: false },
    });
    vi.restoreAllMocks();
    resolver(false);
    const down = { DOH_URL: "https://down.example/dns-query" };
    const other = await signed(plainMessage({ body: "Another." }), "example.com");
    expect(await inject(`${results("pass")}${other}`, "a@example.com", box.mailbox, down)).toEqual({
      rejected: null,
    });
    expect(await newest(box.api_key)).toMatchObject({
      sender_verified: false,
      authentication: { verdict: "temperror" },
    });
  });
});
