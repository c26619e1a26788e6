import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DIST } from "../../scripts/build-worker.ts";
import { readBuiltWorker, TWIN_FILES } from "../../src/host/built-worker.ts";
import { workerdPids } from "../../src/host/processes.ts";
import type { SmtpFault, Twin, TwinMailbox } from "../../src/twin/api.ts";
import { startTwin } from "../../src/twin/start.ts";
import { SmtpConnection } from "../served/smtp.ts";

const HOUR_MS = 3_600_000;
const SENT = { to: "ann@other.example", subject: "Hello", text: "A mail to another domain." };

let mail: Twin;

// Folders are counted here: those of other twins on this machine must not count.
const temporary = mkdtempSync(path.join(tmpdir(), "mailkeep-twin-test-"));
const { TMPDIR } = process.env;

beforeAll(async () => {
  process.env.TMPDIR = temporary;
  mail = await startTwin(DIST);
});
afterAll(async () => {
  await mail.stop();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(temporary, { recursive: true });
});
afterEach(() => mail.faults.clear());

/** The states of the recipients of a sent email. */
async function statesOf(box: TwinMailbox, id: string): Promise<string[]> {
  const { delivery } = await box.client.emails.get(id);
  return (delivery ?? []).map(({ status }) => status);
}

/** A receiver of webhooks that answers with `statuses` one after the other, and then 200. */
async function receiver(statuses: number[]): Promise<{ url: string; seen: () => number }> {
  let seen = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      seen += 1;
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, seen: () => seen };
}

describe("a twin", () => {
  it("runs the very script that is deployed, which knows nothing of it", () => {
    const { script } = readBuiltWorker(DIST);
    const [front = ""] = TWIN_FILES.map((name) => readFileSync(path.join(DIST, name), "utf8"));
    expect([front.includes(`from "./index.js"`), front.includes("class Lifecycle")]).toEqual([true, false]);
    const known = ["TwinControl", "ringNow", ...TWIN_FILES].filter((name) => script.contents.includes(name));
    expect(known).toEqual([]);
    const { outputs } = JSON.parse(readFileSync(path.join(DIST, "bundle-meta.json"), "utf8"));
    expect(JSON.stringify(outputs).includes("src/twin")).toBe(false);
  });

  it("receives mail over SMTP, and hands out the code in it", async () => {
    const box = await mail.mailbox();
    const waiting = box.client.codes.get({ timeout: 20 });
    const { id } = await mail.deliver({
      to: box,
      from: "Shop <login@shop.example>",
      subject: "Your code",
      html: "<p>Your verification code is <b>482913</b>.</p>",
      attachments: [{ filename: "note.txt", content: "Hello" }],
    });
    expect(await waiting).toMatchObject({ id, code: "482913", from: "login@shop.example" });
    expect(await box.client.emails.get(id)).toMatchObject({ attachments: [{ filename: "note.txt" }] });
  });

  it("hands out no code of an earlier sign-up, unless the caller takes one of any age", async () => {
    const box = await mail.mailbox();
    await mail.deliver({ to: box, subject: "Your code", text: "Your verification code is 482913." });
    expect((await box.client.codes.wait({ timeoutMs: 1_000 }))?.code).toBe("482913");
    await mail.clock.advance("11m");
    expect(await box.client.codes.wait({ timeoutMs: 1_000 })).toBeNull();
    expect((await box.client.codes.wait({ timeoutMs: 1_000, max_age: 0 }))?.code).toBe("482913");
    expect((await box.client.codes.get({ timeout: 1 })).code).toBe("482913");
    await mail.deliver({ to: box, subject: "Your code", text: "Your verification code is 571946." });
    expect((await box.client.codes.wait({ timeoutMs: 1_000 }))?.code).toBe("571946");
  });

  it("proves its own senders, so that a strict expectation matches, and none that it is told not to", async () => {
    const box = await mail.mailbox();
    const made = await box.client.expectations.create({ from_domain: "shop.example" });
    const letter = { to: box, from: "Shop <login@mail.shop.example>", subject: "Your code" };
    const unproven = await mail.deliver({
      ...letter,
      text: "Your verification code is 111222.",
      proven: false,
    });
    const other = await mail.deliver({ ...letter, from: "login@evil.example", text: "Your code is 333444." });
    await mail.deliver({ ...letter, text: "Your verification code is 482913." });
    expect(await box.client.expectations.get(made.id)).toMatchObject({
      status: "matched",
      code: "482913",
      sender_verified: true,
      rejected: [
        { email_id: unproven.id, reason: "unverified_sender" },
        { email_id: other.id, reason: "other_domain" },
      ],
    });
  });

  it("takes a message as it is, with every byte of it", async () => {
    const box = await mail.mailbox();
    const raw = `From: ann@example.com\r\nSubject: As it is\r\nX-Odd:  two  spaces\r\n\r\nHello.\r\n`;
    const { id } = await mail.deliver({ to: box.address, from: "ann@example.com", raw });
    const stored = await box.client.emails.raw(id);
    expect(await stored.text()).toContain(raw);
  });

  it("says that a recipient is unknown", async () => {
    await expect(mail.deliver({ to: `nobody@${mail.domain}`, text: "?" })).rejects.toThrow(/no such mailbox/);
  });

  it("gives each of 200 mailboxes its own mail and nothing else", async () => {
    const boxes = await Promise.all(Array.from({ length: 200 }, () => mail.mailbox()));
    expect(new Set(boxes.map(({ address }) => address)).size).toBe(200);
    const codes = boxes.map((_, index) => String(100_000 + index * 37));
    await Promise.all(
      boxes.map((to, index) => mail.deliver({ to, subject: "Code", text: `Your code is ${codes[index]}` })),
    );
    const found = await Promise.all(boxes.map(({ client }) => client.inbox.list()));
    expect(found.map(({ emails }) => emails.map(({ code }) => code))).toEqual(codes.map((code) => [code]));
  });
});

describe("the settings of a twin", () => {
  it("may say that nobody checks senders: then a strict expectation is refused", async () => {
    await using unchecked = await startTwin(DIST, { settings: { SENDER_CHECKS: "off" } });
    const { client } = await unchecked.mailbox();
    await expect(client.expectations.create({ from_domain: "shop.example" })).rejects.toMatchObject({
      status: 409,
      fix: expect.stringContaining('"strict": false') as string,
    });
    expect((await client.expectations.create({ from_domain: "shop.example", strict: false })).status).toBe(
      "waiting",
    );
  });

  it("cannot be those that the twin itself sets", async () => {
    await expect(
      startTwin(DIST, { settings: { PORT: "1", DATA_DIR: "/tmp", OUTBOUND: "off" } }),
    ).rejects.toThrow(/^settings: the twin itself sets PORT, DATA_DIR$/);
    await expect(startTwin(DIST, { settings: { MAIL_DOMAIN: "a.example" } })).rejects.toThrow(/`domain`/);
  });
});

describe("the clock of a twin", () => {
  it("ends a temporary mailbox after its 72 hours, and no other", async () => {
    const temporary = await mail.mailbox({ kind: "temporary" });
    const permanent = await mail.mailbox();
    const before = await mail.clock.now();
    await mail.clock.advance("71h");
    expect(await temporary.client.me()).toMatchObject({ mailbox: temporary.address });
    const after = await mail.clock.advance("2h");
    expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(73 * HOUR_MS);
    await expect(temporary.client.me()).rejects.toMatchObject({ status: 401 });
    expect(await permanent.client.me()).toMatchObject({ mailbox: permanent.address });
  });

  it("stamps mail with its own time, and goes on from there", async () => {
    const box = await mail.mailbox();
    await mail.clock.advance("400d");
    const before = await mail.clock.now();
    const { id } = await mail.deliver({ to: box, text: "Later." });
    const email = await box.client.emails.get(id);
    expect(Date.parse(email.received_at)).toBeGreaterThanOrEqual(before.getTime());
    expect(Date.parse(email.received_at)).toBeLessThanOrEqual((await mail.clock.now()).getTime());
    expect(new Date(email.headers["date"]?.toString() ?? 0).getFullYear()).toBe(before.getFullYear());
  });

  it("makes every attempt of a webhook that falls due on the way, and waits for each", async () => {
    const hook = await receiver([500, 503]);
    const box = await mail.mailbox();
    await box.client.mailbox.update({ webhook_url: hook.url });
    await mail.deliver({ to: box, text: "News." });
    await mail.settled();
    expect(hook.seen()).toBe(1);
    await mail.clock.advance("1m");
    expect(hook.seen()).toBe(3);
    const [delivery] = (await box.client.webhooks.deliveries()).deliveries;
    expect(delivery).toMatchObject({ state: "delivered" });
  });

  it("rings for a mailbox that nobody has called for a while", async () => {
    const temporary = await mail.mailbox({ kind: "temporary" });
    // The runtime puts an object out of memory after ten idle seconds.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    await mail.clock.advance("73h");
    const { mailboxes } = await mail.operator.mailboxes.list({ limit: 200 });
    expect(mailboxes.map((one) => one.mailbox)).not.toContain(temporary.address);
  });
});

describe("the faults of a twin", () => {
  it.each<[SmtpFault, RegExp, number]>([
    ["busy", /421/, 0],
    ["defer", /451/, 0],
    ["refuse", /550/, 0],
    ["defer-data", /451/, 0],
    ["refuse-data", /554/, 0],
    ["drop-before-data", /closed/i, 0],
    ["drop-after-data", /closed/i, 1],
  ])("%s strikes whoever sends mail in, once", async (fault, error, stored) => {
    const box = await mail.mailbox();
    mail.faults.smtp(fault);
    const letter = { to: box, subject: "Once", text: "Is it there?" };
    await expect(mail.deliver(letter)).rejects.toThrow(error);
    expect((await box.client.inbox.list()).emails).toHaveLength(stored);
    await mail.deliver(letter);
    expect((await box.client.inbox.list()).emails).toHaveLength(stored + 1);
  });

  it("silent never answers the message, and stores nothing", async () => {
    const box = await mail.mailbox();
    mail.faults.smtp("silent");
    const client = await SmtpConnection.open(mail.smtp.port);
    await client.say("MAIL FROM:<ann@example.com>");
    await client.say(`RCPT TO:<${box.address}>`);
    await client.say("DATA");
    const reply = client.say("Subject: Into silence\r\n\r\n?\r\n.");
    const first = await Promise.race([reply, new Promise((resolve) => setTimeout(resolve, 300, "silence"))]);
    expect(first).toBe("silence");
    reply.catch(() => {});
    client.drop();
    expect((await box.client.inbox.list()).emails).toEqual([]);
  });

  it("strikes as often as it was ordered, and not after it was taken back", async () => {
    const box = await mail.mailbox();
    mail.faults.smtp("defer", { times: 2 });
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(mail.deliver({ to: box, text: "?" })).rejects.toThrow(/451/);
    }
    mail.faults.smtp("refuse", { times: Infinity });
    await expect(mail.deliver({ to: box, text: "?" })).rejects.toThrow(/550/);
    mail.faults.clear();
    await mail.deliver({ to: box, text: "!" });
  });

  it("shows how a deferred message is sent later", async () => {
    const box = await mail.mailbox();
    mail.faults.outgoing("defer", { times: 2 });
    const { id } = await box.client.send(SENT);
    await mail.settled();
    expect(await statesOf(box, id)).toEqual(["queued"]);
    const before = mail.sent.length;
    await mail.clock.advance("6h");
    expect(await statesOf(box, id)).toEqual(["sent"]);
    expect(mail.sent.slice(before)).toEqual([
      expect.objectContaining({ recipients: [SENT.to], raw: expect.stringContaining(SENT.text) }),
    ]);
  });

  it("shows what nobody can know: the message arrived, and its sender does not hear of it", async () => {
    const box = await mail.mailbox();
    mail.faults.outgoing("drop-after-data");
    const before = mail.sent.length;
    const { id } = await box.client.send(SENT);
    await mail.settled();
    await mail.clock.advance("1d");
    expect(await statesOf(box, id)).toEqual(["unknown"]);
    expect(mail.sent).toHaveLength(before + 1);
  });

  it("refuses a fault that it does not have", () => {
    expect(() => mail.faults.smtp("drop" as SmtpFault)).toThrow(/"drop" is no fault: use busy, defer/);
    expect(() => mail.faults.smtp("busy", { times: 0 })).toThrow(/times/);
  });
});

describe("a seed", () => {
  /** The ids and secrets that a few calls bring about. */
  async function story(twin: Twin): Promise<unknown> {
    const box = await twin.mailbox();
    const { id } = await twin.deliver({ to: box, subject: "Code", text: "Your code is 482913" });
    await twin.clock.advance("1h");
    const sent = await box.client.send(SENT);
    await twin.settled();
    // The client would send a random key, and the mailbox follows from it.
    const response = await fetch(`${twin.url}/v1/bootstrap`, { method: "POST" });
    const born = (await response.json()) as { mailbox: string; api_key: string };
    const raw = await (await box.client.emails.raw(id)).text();
    return {
      box: [box.address, box.key],
      id,
      sent: sent.id,
      born: [born.mailbox, born.api_key],
      raw: raw.replaceAll(/:\d{5}/g, ""),
    };
  }

  it("brings about the same ids, keys and times in every run, after a reset, and others than another seed", async () => {
    await using one = await startTwin(DIST, { seed: 1 });
    await using other = await startTwin(DIST, { seed: 2 });
    const first = await story(one);
    await one.reset();
    expect(await story(one)).toEqual(first);
    await using again = await startTwin(DIST, { seed: 1 });
    expect(await story(again)).toEqual(first);
    expect(await story(other)).not.toEqual(first);
  });

  it("lets the clock stand until it is moved, from a time that can be chosen", async () => {
    await using twin = await startTwin(DIST, { seed: "s", now: "2030-05-01T10:00:00Z" });
    expect(await twin.clock.now()).toEqual(new Date("2030-05-01T10:00:00Z"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await twin.clock.now()).toEqual(new Date("2030-05-01T10:00:00Z"));
    expect(await twin.clock.advance("90s")).toEqual(new Date("2030-05-01T10:01:30Z"));
  });
});

describe("the end of a twin", () => {
  const foldersOf = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("mailkeep-twin-"));

  it("leaves nothing behind after a reset: no mailbox, no mail, no fault, at the same address", async () => {
    await using twin = await startTwin(DIST);
    const { url, smtp } = twin;
    const box = await twin.mailbox();
    await box.client.send(SENT);
    await twin.settled();
    twin.faults.smtp("refuse");
    await twin.clock.advance("10d");
    await twin.reset();
    expect([twin.url, twin.smtp, twin.sent]).toEqual([url, smtp, []]);
    await expect(box.client.me()).rejects.toMatchObject({ status: 401 });
    expect(Math.abs((await twin.clock.now()).getTime() - Date.now())).toBeLessThan(HOUR_MS);
    const again = await twin.mailbox();
    expect(again.address).toBe(box.address);
    await twin.deliver({ to: again, text: "The fault is gone." });
  });

  it("removes its data, its processes and its listeners, and stops only once", async () => {
    const before = { folders: foldersOf(), pids: workerdPids(process.pid), listeners: listeners() };
    const twin = await startTwin(DIST);
    expect(foldersOf().length).toBe(before.folders.length + 1);
    await Promise.all([twin.stop(), twin.stop()]);
    expect(foldersOf()).toEqual(before.folders);
    await expect.poll(() => workerdPids(process.pid)).toEqual(before.pids);
    expect(listeners()).toEqual(before.listeners);
    await expect(fetch(twin.url)).rejects.toThrow(/fetch failed/);
    await expect(twin.clock.advance("1h")).rejects.toThrow(/stopped/);
  });

  it("refuses a wrong setting with the line that the server has for it, and leaves nothing behind", async () => {
    const before = foldersOf();
    await expect(startTwin(DIST, { settings: { DAILY_SEND_LIMIT: "many" } })).rejects.toThrow(
      /DAILY_SEND_LIMIT/,
    );
    await expect(startTwin(DIST, { now: "whenever" })).rejects.toThrow(/no date/);
    expect(foldersOf()).toEqual(before);
    expect(existsSync(path.join(DIST, "index.js"))).toBe(true);
  });

  function listeners(): number[] {
    return ["SIGINT", "SIGTERM", "SIGHUP", "exit"].map((name) => process.listenerCount(name));
  }
});
