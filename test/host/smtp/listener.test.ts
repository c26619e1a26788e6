import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Networks } from "../../../src/host/front/networks.ts";
import { startSmtp } from "../../../src/host/smtp/listener.ts";
import type { SmtpListener } from "../../../src/host/smtp/listener.ts";
import { version1 } from "../front/proxy-headers.ts";
import { BLOCKED, FakeStore, FULL, NOT_CHECKED, NOT_VERIFIED } from "../fake-store.ts";
import { SmtpClient } from "./smtp-client.ts";

const MAX_BYTES = 4 * 1024 * 1024;
/** A message that has a request of its own. */
const LARGE = `\r\n${"x\r\n".repeat(22_000)}x`;

let store: FakeStore;
let smtp: SmtpListener;
let spoolDir: string;
let clients: SmtpClient[];
/** The listener's clock, and how long it wanted to wait before its answers. */
let nowMs = 0;
let pauses: number[] = [];

beforeEach(async () => {
  nowMs = 0;
  pauses = [];
  spoolDir = path.join(await mkdtemp(path.join(tmpdir(), "mailkeep-smtp-")), "spool");
  store = await FakeStore.start();
  smtp = await startSmtp({
    host: "127.0.0.1",
    port: 0,
    upstream: store.url,
    token: "operator-key",
    spoolDir,
    maxBytes: MAX_BYTES,
    name: "mx.mailkeep.test",
    postmaster: "postmaster@mailkeep.test",
    time: { now: () => nowMs, pause: async (ms) => void pauses.push(ms) },
  });
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.drop();
  await smtp.stop(0);
  await store.stop();
  await rm(path.dirname(spoolDir), { recursive: true, force: true });
});

async function client(name?: string): Promise<SmtpClient> {
  const opened = await SmtpClient.open(smtp.port, name);
  clients.push(opened);
  return opened;
}

/** As a sender must (RFC 5321 §4.5.2): a dot before every line that begins with one. */
const stuffed = (text: string): string => text.replace(/(^|\r\n)\./g, "$1..");

describe("session", () => {
  it("offers SIZE, PIPELINING, 8BITMIME and SMTPUTF8, and neither AUTH nor STARTTLS without a certificate", async () => {
    const hello = await (await client()).say("EHLO again.example");
    expect(hello).toContain(`SIZE ${MAX_BYTES}`);
    for (const word of ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"])
      expect(hello).toContain(word);
    expect(hello).not.toMatch(/AUTH|STARTTLS/);
  });

  it("answers commands that arrive in one packet", async () => {
    const sender = await client();
    sender.write("MAIL FROM:<>\r\nRCPT TO:<a@mailkeep.test>\r\nDATA\r\n");
    expect(await sender.reply()).toMatch(/^250 /);
    expect(await sender.reply()).toMatch(/^250 /);
    expect(await sender.reply()).toMatch(/^354 /);
    sender.write("Subject: x\r\n\r\nx\r\n.\r\nQUIT\r\n");
    expect(await sender.reply()).toMatch(/^250 2\.0\.0 Ok: id-1$/);
    expect(await sender.reply()).toMatch(/^221 /);
  });

  it("empties the spool of files that a crash left there", async () => {
    await smtp.stop(0);
    await writeFile(path.join(spoolDir, "left.eml"), "x");
    smtp = await startSmtp({
      host: "127.0.0.1",
      port: 0,
      upstream: store.url,
      token: "operator-key",
      spoolDir,
      maxBytes: 10,
    });
    expect(await readdir(spoolDir)).toEqual([]);
    expect((await stat(spoolDir)).mode & 0o777).toBe(0o700);
  });
});

describe("the greeting", () => {
  const BALANCER = "127.0.0.9";
  const NEAR = "198.51.100.7";

  /** The first replies to a client that says EHLO before it is greeted. */
  const repliesTo = async (client: string | null, from: string): Promise<string[]> => {
    const listener = await startSmtp({
      host: "127.0.0.1",
      port: 0,
      upstream: store.url,
      token: "operator-key",
      spoolDir,
      maxBytes: MAX_BYTES,
      proxies: new Networks([`${BALANCER}/32`]),
      known: new Networks(["198.51.100.0/24"]),
    });
    const eager = SmtpClient.connect(listener.port, from);
    if (client !== null) eager.write(version1(client));
    eager.write("EHLO eager.example\r\n");
    const replies = [await eager.reply()];
    if (!replies[0]?.startsWith("421 ")) replies.push(await eager.reply());
    eager.drop();
    await listener.stop(0);
    return replies.map((reply) => reply.slice(0, 4).trim());
  };

  it("comes at once to this machine and to listed networks, also through a load balancer", async () => {
    expect(await repliesTo(null, "127.0.0.1")).toEqual(["220", "250-"]);
    expect(await repliesTo(NEAR, BALANCER)).toEqual(["220", "250-"]);
  });

  it("comes to all others after a pause, in which they must not talk", async () => {
    expect(await repliesTo("203.0.113.5", BALANCER)).toEqual(["421"]);
    expect(await repliesTo("2001:db8::5", BALANCER)).toEqual(["421"]);
  });

  it("does not come at once to a client that a load balancer names by a loopback address of its own", async () => {
    expect(await repliesTo("127.0.0.1", BALANCER)).toEqual(["421"]);
    expect(await repliesTo("::1", BALANCER)).toEqual(["421"]);
  });
});

describe("recipients", () => {
  it("refuses an unknown one without refusing the others", async () => {
    store.lookUps.set("nobody@mailkeep.test", 404);
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^250 2\.1\.5/);
    expect(await sender.say("RCPT TO:<nobody@mailkeep.test>")).toBe(
      "550 5.1.1 <nobody@mailkeep.test>: no such mailbox",
    );
    expect(await sender.say("RCPT TO:<b+tag@mailkeep.test>")).toMatch(/^250/);
    await sender.say("DATA");
    sender.write("\r\nx\r\n.\r\n");
    expect(await sender.reply()).toMatch(/^250 2\.0\.0 Ok: /);
    expect(store.handed.map((one) => one.query.getAll("to"))).toEqual([
      ["a@mailkeep.test", "b+tag@mailkeep.test"],
    ]);
  });

  it("refuses a full one for now without refusing the others", async () => {
    store.boxes.set("full@mailkeep.test", '{"address":"full@mailkeep.test","full":true}');
    store.boxes.set("room@mailkeep.test", '{"address":"room@mailkeep.test","full":false}');
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    expect(await sender.say("RCPT TO:<full@mailkeep.test>")).toBe("452 4.2.2 Mailbox full");
    expect(await sender.say("RCPT TO:<room@mailkeep.test>")).toMatch(/^250 /);
    await sender.say("DATA");
    sender.write("\r\nx\r\n.\r\n");
    expect(await sender.reply()).toMatch(/^250 /);
    expect(store.handed.map((one) => one.query.get("to"))).toEqual(["room@mailkeep.test"]);
  });

  it.each(["{}", '{"full":false}', '{"address":"a@mailkeep.test"}'])(
    "takes one of which the store does not say that it is full: %j",
    async (body) => {
      store.boxes.set("a@mailkeep.test", body);
      expect(await (await client()).deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
    },
  );

  it("looks one up once for mails that come within two seconds", async () => {
    const sender = await client();
    for (let mail = 1; mail <= 3; mail += 1) {
      expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
      nowMs += 1_500;
    }
    expect(store.lookedUp).toEqual(["a@mailkeep.test"]);
    nowMs += 600;
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
    expect(store.lookedUp).toHaveLength(2);
  });

  it("takes an unknown one as soon as its mailbox is made", async () => {
    store.lookUps.set("a@mailkeep.test", 404);
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^550 /);
    store.lookUps.delete("a@mailkeep.test");
    expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^250 /);
  });

  it.each([
    ["gone", 404, /^550 /],
    ["full", FULL, /^452 /],
  ])("looks one up again after its mailbox was %s when a message came", async (_, status, refusal) => {
    const sender = await client();
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
    store.refusals.set("a@mailkeep.test", [status]);
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(refusal);
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
    expect(store.lookedUp).toHaveLength(2);
  });

  it.each([500, 503, 401, 429])("says 451 when the look-up answers %i", async (status) => {
    store.lookUps.set("a@mailkeep.test", status);
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^451 4\.3\.0 /);
  });

  it.each(["postmaster", "Postmaster", "POSTMASTER@mailkeep.test"])(
    "takes %s, with a domain or without",
    async (one) => {
      expect(await (await client()).deliver([one, "a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
      const [to, other] = store.handed[0]?.query.getAll("to") ?? [];
      expect([to?.toLowerCase(), other]).toEqual(["postmaster@mailkeep.test", "a@mailkeep.test"]);
    },
  );

  it("continues after a domain that is not well-formed Unicode", async () => {
    // A label in Punycode that stands for half of a surrogate pair.
    store.lookUps.set("a@\uFFFD.test", 404);
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    expect(await sender.say("RCPT TO:<a@xn--ib9b.test>")).toMatch(/^550 5\.1\.1 /);
    expect(await sender.say("RCPT TO:<b@mailkeep.test>")).toMatch(/^250 /);
  });

  it("says 451 while the store does not answer, and accepts again when it does", async () => {
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    await store.stop();
    expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^451 4\.3\.0 /);
  });

  it("survives a store that closed the idle connection", async () => {
    const sender = await client();
    expect(await sender.deliver(["a@mailkeep.test"], "\r\none")).toMatch(/^250/);
    store.dropIdle();
    expect(await sender.deliver(["a@mailkeep.test"], "\r\ntwo")).toMatch(/^250/);
    expect(store.handed).toHaveLength(2);
  });

  it("takes 100 and says 452 4.5.3 to the next", async () => {
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    for (let n = 1; n <= 100; n += 1)
      expect(await sender.say(`RCPT TO:<r${n}@mailkeep.test>`)).toMatch(/^250/);
    expect(await sender.say("RCPT TO:<r101@mailkeep.test>")).toMatch(/^452 4\.5\.3/);
    await sender.say("DATA");
    sender.write("\r\nx\r\n.\r\n");
    const reply = await sender.reply();
    expect(reply).toMatch(/^250/);
    expect(reply.length).toBeLessThanOrEqual(510);
    expect(store.handed[0]?.query.getAll("to")).toHaveLength(100);
  });
});

describe("a client that tries many addresses", () => {
  const nobody = (n: number): string => {
    store.lookUps.set(`n${n}@mailkeep.test`, 404);
    return `RCPT TO:<n${n}@mailkeep.test>`;
  };

  it("is slowed after 20 refused recipients, more with each, and closed after 25", async () => {
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    for (let n = 1; n <= 20; n += 1) expect(await sender.say(nobody(n))).toMatch(/^550 5\.1\.1 /);
    expect(pauses).toEqual([]);
    for (let n = 21; n <= 25; n += 1) expect(await sender.say(nobody(n))).toMatch(/^550 5\.1\.1 /);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(await sender.say(nobody(26))).toMatch(/^421 /);
    expect(await sender.closed()).toBe(true);
  });

  it("is counted over all of its transactions, and not with others", async () => {
    const [sender, other] = [await client(), await client()];
    for (let n = 1; n <= 26; n += 1) {
      await sender.say("MAIL FROM:<sender@example.com>");
      expect(await sender.say(nobody(n))).toMatch(n === 26 ? /^421 / : /^550 /);
      if (n < 26) await sender.say("RSET");
    }
    await other.say("MAIL FROM:<sender@example.com>");
    pauses = [];
    expect(await other.say(nobody(1))).toMatch(/^550 /);
    expect(pauses).toEqual([]);
  });

  it("does not include one that meets full mailboxes, or a store that does not answer", async () => {
    store.boxes.set("full@mailkeep.test", '{"full":true}');
    store.lookUps.set("a@mailkeep.test", 503);
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    for (let n = 1; n <= 30; n += 1) {
      expect(await sender.say("RCPT TO:<full@mailkeep.test>")).toMatch(/^452 /);
      expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^451 /);
    }
    expect(pauses).toEqual([]);
  });
});

describe("connections", () => {
  const fill = (count: number, from: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const opened = await SmtpClient.open(smtp.port, "client.example", from);
        clients.push(opened);
        return opened;
      }),
    );
  const greeting = async (from: string): Promise<string> => {
    const newcomer = SmtpClient.connect(smtp.port, from);
    clients.push(newcomer);
    return newcomer.reply();
  };

  it("from one address are limited to 50, and the other places stay free for others", async () => {
    await fill(50, "127.0.0.1");
    expect(await greeting("127.0.0.1")).toMatch(/^421 .*Too many connections/);
    expect(await greeting("127.0.0.2")).toMatch(/^220 /);
    clients[0]?.drop();
    await vi.waitFor(async () => expect(await greeting("127.0.0.1")).toMatch(/^220 /), 5_000);
  });

  it("are closed for a newcomer when all places are taken: the longest idle one of the address that has most", async () => {
    nowMs = 4_000;
    const few = await fill(2, "127.0.0.2");
    nowMs = 5_000;
    // No network has more than its share, so only idle clients make room.
    const many = await fill(10, "127.0.0.1");
    for (let n = 11; n < 19; n += 1) await fill(9, `127.0.0.${n}`);
    await fill(8, "127.0.0.19");
    await fill(8, "127.0.0.20");
    nowMs = 13_999;
    expect(await greeting("127.0.0.4")).toMatch(/^421 /);
    // All but one of them do something.
    const [idle, ...others] = many;
    for (const one of others) await one.say("MAIL FROM:<sender@example.com>");
    nowMs = 15_000;
    expect(await greeting("127.0.0.4")).toMatch(/^220 /);
    expect(await idle?.reply()).toMatch(/^421 /);
    expect(await idle?.closed()).toBe(true);
    expect([...few, ...others].some((one) => one.isClosed)).toBe(false);
  });

  const CLOSED = /^421 .*Too many connections/;

  /** Begins a message. */
  const begin = async (one: SmtpClient | undefined): Promise<void> => {
    await one?.say("MAIL FROM:<sender@example.com>");
    await one?.say("RCPT TO:<a@mailkeep.test>");
    expect(await one?.say("DATA")).toMatch(/^354 /);
  };
  /** Sends a line of a message, and waits until the listener has read it. */
  const send = async (some: readonly SmtpClient[], bytes: number): Promise<void> => {
    for (const one of some) one.write(`${"x".repeat(bytes)}\r\n`);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  };

  it("cannot all be held by two clients that send a byte every twelve seconds", async () => {
    const slow = [...(await fill(50, "127.0.0.1")), ...(await fill(50, "127.0.0.2"))];
    await Promise.all(slow.map(begin));
    for (nowMs = 12_000; nowMs <= 36_000; nowMs += 12_000) await send(slow, 1);
    for (let n = 3; n < 13; n += 1) {
      const newcomer = await SmtpClient.open(smtp.port, "client.example", `127.0.0.${n}`);
      expect(await newcomer.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
      newcomer.drop();
      clients.push(...(await fill(1, `127.0.0.${n}`)));
    }
    expect(slow.filter((one) => one.isClosed).length).toBeGreaterThanOrEqual(10);
  });

  it("cannot all be held by two clients that say something every nine seconds", async () => {
    const talkers = [...(await fill(50, "127.0.0.1")), ...(await fill(50, "127.0.0.2"))];
    for (nowMs = 9_000; nowMs <= 36_000; nowMs += 9_000) {
      await Promise.all(talkers.map((one) => one.say("MAIL FROM:<sender@example.com>")));
      await Promise.all(talkers.map((one) => one.say("RSET")));
    }
    expect(await greeting("127.0.0.3")).toMatch(/^220 /);
  });

  it("cannot all be held by two clients that connect anew all the time", async () => {
    await fill(50, "127.0.0.1");
    await fill(50, "127.0.0.2");
    nowMs = 1_000;
    for (let n = 3; n < 23; n += 1) expect(await greeting(`127.0.0.${n}`)).toMatch(/^220 /);
  });

  it("are closed while they send a message: the one with the fewest bytes in the last 30 s", async () => {
    const [slow, fast, stalled] = await fill(3, "127.0.0.1");
    const others = [...(await fill(47, "127.0.0.2")), ...(await fill(50, "127.0.0.3"))];
    for (const one of [slow, fast, stalled]) await begin(one);
    // It sends much at first, and nothing later.
    if (stalled) await send([stalled], 50_000);
    for (nowMs = 10_000; nowMs < 40_000; nowMs += 10_000) {
      if (slow && fast) {
        await send([slow], 10);
        await send([fast], 900);
      }
      for (const one of others) await one.say("RSET");
      await Promise.all(others.map((one) => one.deliver(["a@mailkeep.test"], `\r\n${"x".repeat(500)}`)));
    }
    nowMs = 36_000;
    expect(await greeting("127.0.0.4")).toMatch(/^220 /);
    expect(await stalled?.closed()).toBe(true);
    expect(await greeting("127.0.0.5")).toMatch(/^220 /);
    expect(await slow?.closed()).toBe(true);
    expect([fast, ...others].some((one) => one?.isClosed)).toBe(false);
  });

  it("are never closed while their message is being stored", async () => {
    store.held.add("a@mailkeep.test");
    const storing = [...(await fill(50, "127.0.0.1")), ...(await fill(50, "127.0.0.2"))];
    const replies = storing.map((one) => one.deliver(["a@mailkeep.test"], "\r\nx"));
    await vi.waitFor(() => expect(store.handed).toHaveLength(100), 5_000);
    nowMs = 600_000;
    expect(await greeting("127.0.0.3")).toMatch(CLOSED);
    store.release();
    for (const reply of await Promise.all(replies)) expect(reply).toMatch(/^250 /);
    expect(storing.some((one) => one.isClosed)).toBe(false);
  });

  it("of a client that has 50 do not keep others from the greeting, however many it opens at once", async () => {
    await smtp.stop(0);
    const proxies = new Networks(["127.0.0.1/32"]);
    const options = { host: "127.0.0.1", port: 0, token: "operator-key", maxBytes: MAX_BYTES };
    smtp = await startSmtp({ ...options, upstream: store.url, spoolDir, proxies });
    const from = (address: string): SmtpClient => {
      const one = SmtpClient.connect(smtp.port);
      one.write(version1(address));
      clients.push(one);
      return one;
    };
    const flood = Array.from({ length: 400 }, () => from("203.0.113.5"));
    expect(await from("203.0.113.6").reply()).toMatch(/^220 /);
    const refused = (await Promise.all(flood.map((one) => one.reply()))).filter((reply) =>
      CLOSED.test(reply),
    );
    expect(refused).toHaveLength(350);
  });
});

describe("hand-over", () => {
  it("sends a message once, however many recipients it has", async () => {
    const recipients = Array.from({ length: 100 }, (_, n) => `box+tag${n}@mailkeep.test`);
    const payload = `Subject: x\r\n\r\n${"x".repeat(900)}`;
    expect(await (await client()).deliver(recipients, payload)).toMatch(/^250 2\.0\.0 Ok: id-1$/);
    expect(store.handed.map((one) => one.query.getAll("to"))).toEqual([recipients]);
  });

  it("of more than 64 KiB uses a second request if the names of the recipients are too long for one, and answers for all", async () => {
    const label = "\u5b57".repeat(15);
    const recipients = Array.from(
      { length: 100 },
      (_, n) => `box${n}@${label}.${label}.${label}.${label}.${label}.test`,
    );
    expect(await (await client()).deliver(recipients, LARGE)).toMatch(/^250 /);
    expect(store.handed.length).toBeGreaterThan(1);
    expect(store.handed.length).toBeLessThan(5);
    expect(store.handed.flatMap((one) => one.query.getAll("to"))).toEqual(recipients);
  });

  it.each([
    "{}",
    "not JSON",
    '{"recipients":[]}',
    '{"recipients":[{"to":"other@mailkeep.test","status":202}]}',
  ])("of more than 64 KiB says 451 when the answer does not tell of every recipient: %j", async (body) => {
    store.answerForSeveral = body;
    expect(await (await client()).deliver(["a@mailkeep.test", "b@mailkeep.test"], LARGE)).toMatch(/^451 /);
  });

  it.each([
    "",
    "not JSON\n",
    '{"item":0}\n',
    '{"item":0,"outcomes":[]}\n',
    '{"item":0,"outcomes":[{"status":202}]}\n',
    '{"item":1,"outcomes":[{"status":202},{"status":202}]}\n',
    '{"item":0,"outcomes":[{"status":202},{"status":202}]}',
  ])(
    "says 451 when the answer to what shared a request does not tell of every recipient: %j",
    async (body) => {
      const sender = await client();
      await sender.say("MAIL FROM:<sender@example.com>");
      for (const to of ["a@mailkeep.test", "b@mailkeep.test"]) await sender.say(`RCPT TO:<${to}>`);
      await sender.say("DATA");
      store.answerForBatch = body;
      sender.write("\r\nx\r\n.\r\n");
      expect(await sender.reply()).toMatch(/^451 /);
    },
  );

  it("answers what shared a request one by one: a mail does not wait for a slow mailbox beside it", async () => {
    store.held.add("slow@mailkeep.test");
    const [slow, fast] = [await client(), await client()];
    for (const [sender, to] of [
      [slow, "slow"],
      [fast, "fast"],
    ] as const) {
      await sender.say("MAIL FROM:<sender@example.com>");
      await sender.say(`RCPT TO:<${to}@mailkeep.test>`);
      await sender.say("DATA");
    }
    slow.write("\r\nx\r\n.\r\n");
    fast.write("\r\nx\r\n.\r\n");
    expect(await fast.reply()).toMatch(/^250 /);
    store.release();
    expect(await slow.reply()).toMatch(/^250 /);
  });

  it("tells the store sender, recipient, client and HELO name", async () => {
    await (await client()).deliver(["a@mailkeep.test"], "Subject: x\r\n\r\nx");
    const [one] = store.handed;
    expect(Object.fromEntries(one?.query ?? [])).toEqual({
      from: "sender@example.com",
      to: "a@mailkeep.test",
      via: "smtp",
      client: "127.0.0.1",
      helo: "client.example",
    });
    expect(one?.headers["content-type"]).toBe("message/rfc822");
    expect(one?.headers["content-length"]).toBe(String(one?.bytes.length));
  });

  it.each([500, 503, 401, 0])("says 451 unless every recipient got 202 (one got %i)", async (status) => {
    // A connection that died while it was reused is tried once more.
    store.refusals.set("b@mailkeep.test", status === 0 ? [0, 0] : [status]);
    const sender = await client();
    expect(await sender.deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toMatch(/^451 4\.3\.0 /);
    // The sender repeats it to both; the store knows the duplicate.
    expect(await sender.deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
  });

  it("says 451 when one mailbox vanished since RCPT, so that the repeat meets its 550 there", async () => {
    store.refusals.set("b@mailkeep.test", [404]);
    expect(await (await client()).deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toMatch(/^451 /);
  });

  it("says 550 5.1.1 when all mailboxes vanished since RCPT", async () => {
    store.refusals.set("a@mailkeep.test", [404]);
    expect(await (await client()).deliver(["a@mailkeep.test"], "\r\nx")).toMatch(
      /^550 5\.1\.1 <a@mailkeep\.test>/,
    );
  });

  it("says 552 5.3.4 when the store finds the message too large", async () => {
    store.refusals.set("a@mailkeep.test", [413]);
    expect(await (await client()).deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^552 5\.3\.4 /);
  });

  it("says 452 4.2.2 when a mailbox became full since RCPT, and nobody has the message", async () => {
    const sender = await client();
    store.refusals.set("a@mailkeep.test", [FULL, FULL]);
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toBe("452 4.2.2 Mailbox full");
    store.refusals.set("b@mailkeep.test", [404]);
    expect(await sender.deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toMatch(/^452 4\.2\.2 /);
  });

  // A mail without Message-ID is no duplicate to the store: each repeat would be one more copy for those who have it.
  it("says 552 for a full mailbox when another recipient has the message", async () => {
    store.refusals.set("b@mailkeep.test", [FULL]);
    expect(await (await client()).deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toBe(
      "552 5.2.2 <b@mailkeep.test>: mailbox full",
    );
    expect(store.handed).toHaveLength(1);
  });

  it("says 550 5.7.1 when the rules of all mailboxes refuse the sender, and not why", async () => {
    const sender = await client();
    store.refusals.set("a@mailkeep.test", [NOT_VERIFIED, BLOCKED]);
    store.refusals.set("b@mailkeep.test", [BLOCKED]);
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toBe(
      "550 5.7.1 <a@mailkeep.test>: accepts no mail from this sender, or only if its domain is proven (DMARC)",
    );
    expect(await sender.deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toBe(
      "550 5.7.1 <a@mailkeep.test> <b@mailkeep.test>: accepts no mail from this sender, or only if its domain is proven (DMARC)",
    );
  });

  it("says 250 when rules refuse it for some and another has it: a refusal would deny what is true for that one", async () => {
    const sender = await client();
    const both = ["a@mailkeep.test", "b@mailkeep.test"];
    store.refusals.set("b@mailkeep.test", [BLOCKED, BLOCKED, BLOCKED]);
    expect(await sender.deliver(both, "\r\nx")).toBe("250 2.0.0 Ok: id-1");
    // Any other answer, or one that is too large, is treated as if there were no rules.
    store.refusals.set("a@mailkeep.test", [503, 413]);
    expect(await sender.deliver(both, "\r\nx")).toMatch(/^451 /);
    expect(await sender.deliver(both, "\r\nx")).toMatch(/^552 5\.3\.4 /);
  });

  // The mailbox that could not check the sender keeps it as refused.
  it("says 250 when one has it and DNS did not answer for another, so that no repeat brings a second copy", async () => {
    const sender = await client();
    const both = ["a@mailkeep.test", "b@mailkeep.test"];
    store.refusals.set("b@mailkeep.test", [NOT_CHECKED, NOT_CHECKED, NOT_CHECKED]);
    expect(await sender.deliver(both, "\r\nx")).toBe("250 2.0.0 Ok: id-1");
    store.refusals.set("a@mailkeep.test", [BLOCKED]);
    expect(await sender.deliver(both, "\r\nx")).toMatch(/^451 4\.3\.0 /);
    expect(await sender.deliver(["b@mailkeep.test"], "\r\nx")).toMatch(/^451 4\.3\.0 /);
  });

  it("says 451 when it is not known what became of one message and another mailbox is full", async () => {
    store.refusals.set("a@mailkeep.test", [503]);
    store.refusals.set("b@mailkeep.test", [FULL]);
    expect(await (await client()).deliver(["a@mailkeep.test", "b@mailkeep.test"], "\r\nx")).toMatch(/^451 /);
  });

  it.each([[["a@mailkeep.test"]], [["a@mailkeep.test", "b@mailkeep.test"]]])(
    "says 554 5.6.0 to what the store will never take: %j",
    async (recipients) => {
      store.refusals.set("a@mailkeep.test", [400]);
      expect(await (await client()).deliver(recipients, "\r\nx")).toMatch(/^554 5\.6\.0 /);
    },
  );

  it.each([255, 256, 300])("tells the store at most 255 characters of a HELO name of %i", async (length) => {
    const sender = await client("h".repeat(length));
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
    expect(store.handed[0]?.query.get("helo")).toBe("h".repeat(255));
  });

  it("hands over nothing of a message whose sender vanished in the middle", async () => {
    for (const size of [100, 2 * 1024 * 1024]) {
      const sender = await client();
      await sender.say("MAIL FROM:<sender@example.com>");
      await sender.say("RCPT TO:<a@mailkeep.test>");
      await sender.say("DATA");
      sender.write(`Subject: x\r\n\r\n${"x".repeat(size)}`);
      await new Promise((resolve) => void setTimeout(resolve, 50));
      sender.drop();
    }
    await smtp.stop(2_000);
    expect(store.handed).toEqual([]);
    expect(await readdir(spoolDir)).toEqual([]);
  });
});

describe("size", () => {
  it("refuses at MAIL FROM a SIZE over the limit, and accepts the limit itself", async () => {
    const sender = await client();
    expect(await sender.say(`MAIL FROM:<s@example.com> SIZE=${MAX_BYTES + 1}`)).toMatch(/^552 5\.3\.4 /);
    expect(await sender.say(`MAIL FROM:<s@example.com> SIZE=${MAX_BYTES}`)).toMatch(/^250 /);
  });

  it("takes a message of exactly the limit and refuses one byte more, without keeping it", async () => {
    const sender = await client();
    const line = `${"x".repeat(998)}\r\n`;
    const body = line.repeat(Math.ceil(MAX_BYTES / line.length)).slice(0, MAX_BYTES - 2);
    // The CRLF before the final dot belongs to the message.
    expect(await sender.deliver(["a@mailkeep.test"], body)).toMatch(/^250 /);
    expect(await sender.deliver(["a@mailkeep.test"], `${body}x`)).toMatch(/^552 5\.3\.4 /);
    expect(store.handed.map((one) => one.bytes.length)).toEqual([MAX_BYTES]);
    expect(await readdir(spoolDir)).toEqual([]);
    expect(await sender.deliver(["a@mailkeep.test"], "\r\nx")).toMatch(/^250 /);
  });
});

describe("bytes", () => {
  const latin1 = Buffer.from(
    Array.from({ length: 255 }, (_, n) => n + 1).filter((n) => n !== 0x0a && n !== 0x0d),
  );
  const messages: Record<string, Buffer> = {
    "lines that begin with dots": Buffer.from("Subject: x\r\n\r\n.\r\n..\r\n...x\r\n.x\r\nend\r\n"),
    "a dot as the first byte": Buffer.from(".first\r\n\r\nx\r\n"),
    "bare LF and bare CR": Buffer.from("Subject: x\n\nline\nline\rline\n.\nline\r\n"),
    "all bytes but NUL": Buffer.concat([Buffer.from("Subject: "), latin1, Buffer.from("\r\n\r\nx\r\n")]),
    NUL: Buffer.from("Subject: a\0b\r\n\r\n\0\r\n"),
    "one line of 1 MB": Buffer.from(`Subject: x\r\n\r\n${"x".repeat(1_000_000)}\r\n`),
    "3 MB of dots, spooled to disk": Buffer.from(`Subject: x\r\n\r\n${".......\r\n".repeat(333_000)}`),
    "an empty body": Buffer.from("Subject: x\r\n\r\n"),
    "trailing empty lines": Buffer.from("Subject: x\r\n\r\nx\r\n\r\n\r\n"),
  };

  it.each(Object.keys(messages))("arrive as sent: %s", async (name) => {
    const message = messages[name] ?? Buffer.alloc(0);
    // The sender's CRLF that ends the last line is the first half of the end of data.
    const payload = stuffed(message.toString("latin1")).slice(0, -2);
    expect(await (await client()).deliver(["a@mailkeep.test"], Buffer.from(payload, "latin1"))).toMatch(
      /^250 /,
    );
    expect(store.handed[0]?.bytes.equals(message)).toBe(true);
  });

  it("arrive as sent one byte at a time", async () => {
    const sender = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    await sender.say("RCPT TO:<a@mailkeep.test>");
    await sender.say("DATA");
    for (const char of "..a\r\n\r\n..\r\nb\n.\r\nc\r\n.\r\n") {
      sender.write(char);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    expect(await sender.reply()).toMatch(/^250 /);
    expect(store.handed[0]?.bytes.toString()).toBe(".a\r\n\r\n.\r\nb\n.\r\nc\r\n");
  });

  // Each is an end of data to some server; to us only CRLF.CRLF is (SMTP smuggling, CVE-2023-51764 and its kin).
  it.each(["\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r\n.\r", "\r.\r\n", "\r\n\0.\r\n", "\r\n.\r\r\n"])(
    "hold one message, whatever %j would end elsewhere",
    async (sequence) => {
      const smuggled =
        "MAIL FROM:<admin@mailkeep.test>\r\nRCPT TO:<victim@mailkeep.test>\r\nDATA\r\nSubject: forged\r\n\r\nx";
      const payload = `Subject: x\r\n\r\nx${sequence}${smuggled}`;
      const sender = await client();
      expect(await sender.deliver(["a@mailkeep.test"], payload)).toMatch(/^250 /);
      expect(await sender.say("NOOP")).toMatch(/^250 /);
      expect(store.handed).toHaveLength(1);
      expect(store.handed[0]?.query.get("to")).toBe("a@mailkeep.test");
      expect(store.handed[0]?.bytes.toString()).toBe(`${payload}\r\n`);
    },
  );
});

describe("stop", () => {
  it("lets a message under way finish and refuses a new one", async () => {
    const sender = await client();
    const idle = await client();
    await sender.say("MAIL FROM:<sender@example.com>");
    await sender.say("RCPT TO:<a@mailkeep.test>");
    await sender.say("DATA");
    sender.write("Subject: x\r\n\r\nhalf");
    const stopped = smtp.stop(5_000);
    expect(await idle.say("MAIL FROM:<late@example.com>")).toMatch(/^421 /);
    sender.write(" and half\r\n.\r\n");
    expect(await sender.reply()).toMatch(/^250 /);
    await stopped;
    expect(await sender.closed()).toBe(true);
    expect(store.handed).toHaveLength(1);
  });

  it("does not wait for an idle client, nor longer than its grace period", async () => {
    await client();
    const slow = await client();
    await slow.say("MAIL FROM:<sender@example.com>");
    await slow.say("RCPT TO:<a@mailkeep.test>");
    await slow.say("DATA");
    slow.write("Subject: never ends");
    await smtp.stop(50);
    expect(await slow.closed()).toBe(true);
    expect(store.handed).toEqual([]);
  });
});
