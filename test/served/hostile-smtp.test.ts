import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { RefusedPage } from "../../src/contract/rules.ts";
import type { MailboxKey, Service } from "./client.ts";
import { inParallel } from "./client.ts";
import { filler, message } from "./messages.ts";
import { Server } from "./server.ts";
import { SmtpConnection, deliver } from "./smtp.ts";

let server: Server;
let service: Service;
let open: SmtpConnection[] = [];

beforeAll(async () => {
  server = await Server.start();
  service = server.service;
}, 180_000);

afterEach(async () => {
  for (const connection of open) connection.drop();
  open = [];
  const { status } = await service.call("/health");
  if (status !== 200) throw new Error(`The service is not well: ${status}`);
});

afterAll(() => server.stop());

async function connect(): Promise<SmtpConnection> {
  const connection = await SmtpConnection.open(server.smtpPort);
  open.push(connection);
  return connection;
}

/** A connection on which DATA was answered with 354. */
async function connectToData(...boxes: readonly MailboxKey[]): Promise<SmtpConnection> {
  const connection = await connect();
  expect(await connection.say("MAIL FROM:<a@b.example>")).toMatch(/^250 /);
  for (const { mailbox } of boxes) expect(await connection.say(`RCPT TO:<${mailbox}>`)).toMatch(/^250 /);
  expect(await connection.say("DATA")).toMatch(/^354 /);
  return connection;
}

/** The raw messages of a mailbox, newest first. */
async function rawMessages({ api_key }: MailboxKey): Promise<string[]> {
  const inbox = await service.inbox(api_key);
  return inParallel(inbox, 4, async ({ id }) => (await service.raw(api_key, id)).toString("latin1"));
}

describe("a message to several mailboxes with rules", () => {
  it("reaches those that let its sender in, and is kept apart for the others; 550 only if none does", async () => {
    const [welcome, closed, other] = await Promise.all(
      Array.from({ length: 3 }, () => service.createMailbox()),
    );
    if (welcome === undefined || closed === undefined || other === undefined) throw new Error("No mailbox");
    for (const { api_key: key } of [closed, other]) {
      await service.ask("/v1/mailbox/rules", { key, method: "PUT", json: { receive: { mode: "listed" } } });
    }
    const send = async (boxes: readonly MailboxKey[], subject: string): Promise<string> => {
      const sender = await connectToData(...boxes);
      sender.write(`From: ann@example.com\r\nSubject: ${subject}\r\n\r\nHello\r\n`);
      return sender.say(".");
    };
    const refused = async ({ api_key: key }: MailboxKey) =>
      (await service.get<RefusedPage>("/v1/refused", key)).refused.map(({ subject }) => subject);
    expect(await send([closed, welcome, other], "Mixed")).toMatch(/^250 2\.0\.0 Ok: \S+$/);
    expect((await service.inbox(welcome.api_key)).map(({ subject }) => subject)).toEqual(["Mixed"]);
    expect(await service.inbox(closed.api_key)).toEqual([]);
    expect(await send([closed, other], "Nobody")).toBe(
      `550 5.7.1 <${closed.mailbox}> <${other.mailbox}>: accepts no mail from this sender, or only if its domain is proven (DMARC)`,
    );
    expect(await refused(closed)).toEqual(["Nobody", "Mixed"]);
    expect(await refused(other)).toEqual(["Nobody", "Mixed"]);
    expect(await refused(welcome)).toEqual([]);
  });
});

describe("a message that tries to end early", () => {
  const sequences = {
    "LF . LF": "\n.\n",
    "LF . CRLF": "\n.\r\n",
    "CRLF . LF": "\r\n.\n",
    "CR . CR": "\r.\r",
    "CRLF . CR": "\r\n.\r",
    "CR . CRLF": "\r.\r\n",
    "CRLF NUL . CRLF": "\r\n\0.\r\n",
    "CRLF . CR CRLF": "\r\n.\r\r\n",
    "CRLF . NUL CRLF": "\r\n.\0\r\n",
    "CRLF . space CRLF": "\r\n. \r\n",
  };
  const smuggled = (to: string) =>
    `MAIL FROM:<admin@b.example>\r\nRCPT TO:<${to}>\r\nDATA\r\nSubject: Smuggled\r\n\r\nx\r\n`;

  it.each(Object.entries(sequences))("by %s stays one message to one mailbox", async (_, sequence) => {
    const [box, victim] = [await service.createMailbox(), await service.createMailbox()];
    const content = `Subject: Outer\r\n\r\nHello${sequence}${smuggled(victim.mailbox)}`;
    const sender = await connectToData(box);
    sender.write(content);
    expect(await sender.say(".")).toMatch(/^250 2\.0\.0 Ok: \S+$/);
    // The next reply must belong to the next command: nothing in the message was read as a command.
    expect(await sender.say("VRFY x")).toMatch(/^252 /);
    expect(await rawMessages(box)).toEqual([content]);
    expect(await rawMessages(victim)).toEqual([]);
  });

  it("stays one message when it comes byte by byte", async () => {
    const box = await service.createMailbox();
    const content = `Subject: x\r\n\r\n${Object.values(sequences).join("-")}\r\n`;
    const sender = await connectToData(box);
    for (const byte of Buffer.from(content)) {
      sender.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    expect(await sender.say(".")).toMatch(/^250 /);
    expect(await rawMessages(box)).toEqual([content]);
  });

  it("by CRLF . CRLF does end: what follows are commands, and a message of its own", async () => {
    const [box, other] = [await service.createMailbox(), await service.createMailbox()];
    const sender = await connectToData(box);
    sender.write(`Subject: First\r\n\r\n1\r\n.\r\n${smuggled(other.mailbox)}.\r\n`);
    const replies = [];
    for (let n = 0; n < 5; n += 1) replies.push((await sender.reply()).slice(0, 3));
    expect(replies).toEqual(["250", "250", "250", "354", "250"]);
    expect(await rawMessages(box)).toEqual(["Subject: First\r\n\r\n1\r\n"]);
    expect(await rawMessages(other)).toEqual(["Subject: Smuggled\r\n\r\nx\r\n"]);
  });
});

describe("commands", () => {
  it("that arrive in one packet are answered in order, a refused recipient among them", async () => {
    const box = await service.createMailbox();
    const sender = await connect();
    sender.write(
      `MAIL FROM:<a@b.example>\r\nRCPT TO:<nobody@mailkeep.test>\r\nRCPT TO:<${box.mailbox}>\r\nDATA\r\n`,
    );
    const replies = [];
    for (let n = 0; n < 4; n += 1) replies.push((await sender.reply()).slice(0, 9));
    expect(replies).toEqual(["250 2.1.0", "550 5.1.1", "250 2.1.5", expect.stringMatching(/^354 /)]);
    sender.write("Subject: Piped\r\n\r\nx\r\n.\r\nQUIT\r\n");
    expect(await sender.reply()).toMatch(/^250 /);
    expect(await sender.reply()).toMatch(/^221 /);
    expect(await rawMessages(box)).toEqual(["Subject: Piped\r\n\r\nx\r\n"]);
  });

  it.each([
    "MAIL FROM:<a\0@b.example>",
    "MAIL FROM:<a@b.example\0>",
    "MAIL\0FROM:<a@b.example>",
    "MAIL FROM:<a@b.example> SIZE=\0",
    "\0",
  ])("with a NUL are refused: %j", async (command) => {
    const sender = await connect();
    expect(await sender.say(command)).toMatch(/^5\d\d /);
    // There must be no transaction.
    expect(await sender.say("RCPT TO:<a@mailkeep.test>")).toMatch(/^503 /);
  });

  it("with a NUL in the recipient reach nobody, not even the owner of the rest of the address", async () => {
    const box = await service.createMailbox();
    const [name, domain] = box.mailbox.split("@");
    const sender = await connect();
    await sender.say("MAIL FROM:<a@b.example>");
    for (const address of [
      `${name}\0@${domain}`,
      `${name}@${domain}\0`,
      `${name}\0x@${domain}`,
      `\0${box.mailbox}`,
    ]) {
      expect(await sender.say(`RCPT TO:<${address}>`)).toMatch(/^5\d\d /);
    }
    expect(await sender.say("DATA")).toMatch(/^503 /);
    expect(await rawMessages(box)).toEqual([]);
  });

  it.each([
    ["with its end", `NOOP ${"a".repeat(100_000)}\r\n`],
    ["without an end", "a".repeat(5_000_000)],
    ["in an address", `MAIL FROM:<${"a".repeat(50_000)}@b.example>\r\n`],
  ])("that are endless, %s, end the connection and nothing else", async (_, command) => {
    const sender = await connect();
    sender.write(command);
    expect(await sender.reply()).toMatch(/^(421|5\d\d) /);
    await sender.closed();
    const box = await service.createMailbox();
    const after = await deliver(server.smtpPort, {
      from: "a@b.example",
      to: [box.mailbox],
      bytes: message(),
    });
    expect(after.data).toMatch(/^250 /);
  });

  it.each(["AUTH PLAIN AGEAYg==", "STARTTLS", "BDAT 5 LAST", "WIZ", "DEBUG", "TURN"])(
    "that are not offered are refused: %s",
    async (command) => {
      const sender = await connect();
      expect(await sender.say("EHLO again.example")).not.toMatch(/AUTH|STARTTLS|CHUNKING/);
      expect(await sender.say(command)).toMatch(/^5\d\d /);
      expect(await sender.say("NOOP")).toMatch(/^250 /);
    },
  );

  it("in the wrong order change nothing", async () => {
    const box = await service.createMailbox();
    const sender = await connect();
    expect(await sender.say(`RCPT TO:<${box.mailbox}>`)).toMatch(/^503 /);
    expect(await sender.say("DATA")).toMatch(/^503 /);
    await sender.say("MAIL FROM:<a@b.example>");
    expect(await sender.say("MAIL FROM:<c@d.example>")).toMatch(/^503 /);
    await sender.say(`RCPT TO:<${box.mailbox}>`);
    expect(await sender.say("RSET")).toMatch(/^250 /);
    expect(await sender.say("DATA")).toMatch(/^503 /);
    expect(await rawMessages(box)).toEqual([]);
  });

  it("of HTTP are not accepted as mail", async () => {
    const sender = await connect();
    sender.write("POST / HTTP/1.1\r\nHost: x\r\n\r\nMAIL FROM:<a@b.example>\r\n");
    expect(await sender.reply()).toMatch(/^421 /);
    await sender.closed();
  });
});

describe("a sender that vanishes", () => {
  const whole = message({ subject: "Cut", body: Buffer.concat([filler(3_000_000), Buffer.from("The end")]) });

  it.each([
    ["after DATA", whole.subarray(0, 0)],
    ["in the header", whole.subarray(0, 20)],
    ["in the body", whole.subarray(0, 5_000)],
    ["in a message that lies on disk", whole],
    ["before the dot", Buffer.concat([whole.subarray(0, 5_000), Buffer.from("\r\n")])],
    [
      "after the dot, before its line ends",
      Buffer.concat([whole.subarray(0, 5_000), Buffer.from("\r\n.\r")]),
    ],
  ])("%s leaves nothing", async (_, bytes) => {
    const box = await service.createMailbox();
    const sender = await connectToData(box);
    sender.write(bytes);
    sender.finish();
    await sender.closed();
    // The listener discards incomplete messages before it hands them over.
    await vi.waitFor(
      async () => expect(await readdir(path.join(server.dataDir, "spool"))).toEqual([]),
      30_000,
    );
    const after = message({ subject: "After" });
    await deliver(server.smtpPort, { from: "a@b.example", to: [box.mailbox], bytes: after });
    expect((await service.inbox(box.api_key)).map((one) => one.subject)).toEqual(["After"]);
    expect((await service.ask("/v1/stats", { key: box.api_key })).body.total_emails).toBe(1);
  });

  it("after the dot, before the answer, is received once when it repeats the message", async () => {
    const box = await service.createMailbox();
    const bytes = message({ subject: "Once" });
    for (let n = 0; n < 3; n += 1) {
      const sender = await connectToData(box);
      sender.write(Buffer.concat([bytes, Buffer.from(".\r\n")]));
      sender.finish();
      await sender.closed();
    }
    await deliver(server.smtpPort, { from: "a@b.example", to: [box.mailbox], bytes });
    expect(await rawMessages(box)).toEqual([bytes.toString("latin1")]);
  });
});

describe("recipients of one message", () => {
  it("may be a hundred; the next is refused temporarily, and each of the hundred gets it once", async () => {
    const boxes = await inParallel(Array.from({ length: 101 }), 8, () => service.createMailbox());
    const bytes = message({ subject: "To all" });
    const replies = await deliver(server.smtpPort, {
      from: "a@b.example",
      to: boxes.map((box) => box.mailbox),
      bytes,
    });
    expect(replies.rcpt.slice(0, 100).every((reply) => reply.startsWith("250 2.1.5"))).toBe(true);
    expect(replies.rcpt[100]).toMatch(/^452 4\.5\.3 /);
    expect(replies.data).toMatch(/^250 2\.0\.0 /);
    const counts = await inParallel(boxes, 8, async (box) => (await service.inbox(box.api_key)).length);
    expect(counts).toEqual([...Array.from({ length: 100 }, () => 1), 0]);
  });

  it("that are the same mailbox twice get it once", async () => {
    const box = await service.createMailbox();
    const to = [box.mailbox, box.mailbox.toUpperCase(), box.mailbox.replace("@", "+tag@")];
    const replies = await deliver(server.smtpPort, { from: "a@b.example", to, bytes: message() });
    expect(replies.data).toMatch(/^250 /);
    expect(await service.inbox(box.api_key)).toHaveLength(1);
  });
});
