import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Email } from "../../src/contract/message.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey, Service } from "./client.ts";
import { corpusIsThere, corpusMessages } from "./corpus.ts";
import type { CorpusMessage } from "./corpus.ts";
import { Server } from "./server.ts";
import { SmtpConnection } from "./smtp.ts";

const PARALLEL = 8;

/** A message, and the mailbox that only it was sent to. */
interface Received {
  name: string;
  bytes: Buffer;
  box: MailboxKey;
}

// Skipped where ../shared/corpus is missing: the messages are not part of the project.
describe.skipIf(!corpusIsThere)("every message of the corpus", () => {
  const messages = corpusMessages();
  let server: Server;
  let service: Service;

  beforeAll(async () => {
    server = await Server.start();
    service = server.service;
  }, 180_000);

  afterAll(() => server.stop());

  it("is found", () => {
    expect(messages.length).toBeGreaterThanOrEqual(254);
    expect(messages.every(({ bytes }) => bytes.length > 0)).toBe(true);
  });

  it("is received over HTTP, listed, readable, and returned byte for byte", async () => {
    const received = await inParallel(messages, PARALLEL, async ({ name, bytes }) => {
      const box = await service.createMailbox();
      const handed = await service.handOver(box.mailbox, bytes);
      expect([name, handed.status, handed.body.duplicate]).toEqual([name, 202, false]);
      return { name, bytes, box };
    });
    await inParallel(received, PARALLEL, expectThere);
  });

  it("is received over SMTP with CRLF line ends, listed, readable, and returned byte for byte", async () => {
    const received = await inParallel(messages, PARALLEL, async (message) => {
      const box = await service.createMailbox();
      return { name: message.name, bytes: asSent(message), box };
    });
    const sender = await SmtpConnection.open(server.smtpPort);
    for (const { name, bytes, box } of received) {
      const replies = await sender.deliver({ from: "sender@example.com", to: [box.mailbox], bytes });
      expect([name, replies.data]).toEqual([name, expect.stringMatching(/^250 2\.0\.0 Ok: \S+$/)]);
    }
    await sender.quit();
    await inParallel(received, PARALLEL, expectThere);
  });

  it("is one mail in a mailbox that gets all of them, unless Message-ID and bytes are the same", async () => {
    const box = await service.createMailbox();
    const stored = new Map<string, Buffer>();
    for (const { name, bytes } of messages) {
      const { status, body } = await service.handOver(box.mailbox, bytes);
      expect([name, status]).toEqual([name, 202]);
      const earlier = stored.get(body.id);
      expect([name, body.duplicate]).toEqual([name, earlier !== undefined]);
      expect([name, (earlier ?? bytes).equals(bytes)]).toEqual([name, true]);
      stored.set(body.id, bytes);
    }
    const inbox = await service.inbox(box.api_key);
    // Applied reports are hidden from the inbox, but no report here is about mail of this mailbox.
    expect(inbox.map((one) => one.id).toSorted()).toEqual([...stored.keys()].toSorted());
    const threads = await service.threads(box.api_key);
    const counted = threads.reduce((sum, one) => sum + one.message_count, 0);
    expect(counted).toBe(inbox.length);
    const stats = (await service.ask("/v1/stats", { key: box.api_key })).body;
    expect(stats).toMatchObject({ total_emails: stored.size, inbound: stored.size, outbound: 0 });
  });

  async function expectThere({ name, bytes, box }: Received): Promise<void> {
    const inbox = await service.inbox(box.api_key);
    expect([name, inbox.length]).toEqual([name, 1]);
    const [summary] = inbox;
    const id = summary?.id ?? "";
    const email = await service.email(box.api_key, id);
    expect([name, Email.safeParse(email).error]).toEqual([name, undefined]);
    expect(email).toMatchObject({ ...summary, size_bytes: bytes.length });
    expect([name, (await service.raw(box.api_key, id)).equals(bytes)]).toEqual([name, true]);
    const thread = await service.thread(box.api_key, email.thread_id);
    expect([name, thread.emails.map((one) => one.id)]).toEqual([name, [id]]);
  }
});

/** The bytes as SMTP carries them: every line ends in CRLF (RFC 5321 §2.3.8). */
function asSent({ bytes }: CorpusMessage): Buffer {
  const text = bytes.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n");
  return Buffer.from(text.endsWith("\r\n") ? text : `${text}\r\n`, "latin1");
}
