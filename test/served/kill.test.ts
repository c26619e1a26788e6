import { afterAll, expect, it, onTestFinished } from "vitest";
import type { EmailSummary } from "../../src/contract/message.ts";
import { inParallel } from "./client.ts";
import type { MailboxKey } from "./client.ts";
import { filler, message } from "./messages.ts";
import { Server, endOrphan, makeDataDir, removeDataDir } from "./server.ts";
import type { Orphan } from "./server.ts";
import { SmtpConnection } from "./smtp.ts";

const MAILS = 200;
/** Every mail answers others of its conversation, which arrive in any order. */
const CONVERSATIONS = 25;
const SENDERS = 6;
const KILLS = 10;
/** Kills of workerd that a server survives within a minute. After these, the test kills the server itself and starts another. */
const KILLS_PER_SERVER = 5;
/** A larger raw message is stored in the blob store, which is written before the row. */
const MAX_ROW_BYTES = 524_288;
/** How long a sender waits before it tries again, in ms; a real one waits minutes. */
const RETRY_MS = 50;

interface Mail {
  number: number;
  conversation: number;
  to: string[];
  messageId: string;
  /** A word that only this mail has. */
  word: string;
  bytes: Buffer;
}

const dataDir = await makeDataDir();
let server = await Server.start({ dataDir });
const orphans: Orphan[] = [];

afterAll(async () => {
  await server.stop();
  orphans.forEach(endOrphan);
  await removeDataDir(dataDir);
});

const idOf = (number: number): string => `<mail-${number}@kill.example>`;

/** Mail `number`; one in nine is large, and a conversation goes to one mailbox, to two, or to all three. */
function compose(number: number, boxes: readonly MailboxKey[]): Mail {
  const conversation = number % CONVERSATIONS;
  const word = `tok${String(number).padStart(4, "0")}x`;
  const isLarge = number % 9 === 4;
  const size = isLarge ? MAX_ROW_BYTES + 1_000 + number * 5_000 : 500 + number * 97;
  const text = Buffer.concat([Buffer.from(`killrun ${word}\r\n`), filler(size, String(number))]);
  return {
    number,
    conversation,
    to: boxes.filter((_, index) => index <= conversation % 3).map((box) => box.mailbox),
    messageId: idOf(number),
    word,
    bytes: message({
      subject: `Mail ${number}`,
      messageId: idOf(number),
      headers:
        number < CONVERSATIONS
          ? []
          : [`In-Reply-To: ${idOf(number - CONVERSATIONS)}`, `References: ${idOf(conversation)}`],
      body: text,
    }),
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends mails as an MTA does: repeats the same bytes after a 4xx or a lost connection, until each is acknowledged. */
class Sender {
  #connection: SmtpConnection | null = null;
  retries = 0;

  async send(mail: Mail): Promise<void> {
    while (!(await this.#attempt(mail))) {
      this.retries += 1;
      await pause(RETRY_MS);
    }
  }

  async #attempt({ number, to, bytes }: Mail): Promise<boolean> {
    try {
      this.#connection ??= await SmtpConnection.open(server.smtpPort);
      const { mail, rcpt, data } = await this.#connection.deliver({ from: "a@b.example", to, bytes });
      const refused = [mail, ...rcpt, data ?? ""].find((reply) => reply.startsWith("5"));
      if (refused !== undefined) throw new Refused(`Mail ${number} was refused: ${refused}`);
      const isWhole = rcpt.length === to.length && rcpt.every((reply) => reply.startsWith("250"));
      // A recipient that was refused temporarily gets the mail with the repeat; the others already have it.
      return isWhole && data !== null && data.startsWith("250");
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The connection was refused, or ended before the answer.
      this.#connection?.drop();
      this.#connection = null;
      return false;
    }
  }

  close(): void {
    this.#connection?.drop();
  }
}

class Refused extends Error {
  override readonly name = "Refused";
}

/** Counts acknowledged mails, and waits for a number of them. */
class Progress {
  #acknowledged = 0;
  #waiting: { at: number; wake: () => void }[] = [];

  count(): void {
    this.#acknowledged += 1;
    const due = this.#waiting.filter(({ at }) => at <= this.#acknowledged);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#acknowledged);
    for (const { wake } of due) wake();
  }

  async reached(at: number): Promise<void> {
    if (this.#acknowledged < at) await new Promise<void>((wake) => this.#waiting.push({ at, wake }));
  }
}

/** Kills workerd repeatedly while mail comes in, and once the server itself, whose workerd keeps running. */
async function killTenTimes(progress: Progress): Promise<void> {
  for (let kill = 0; kill < KILLS; kill += 1) {
    await progress.reached(5 + kill * 18);
    // At a random point of a transaction: about ten such pauses pass between two answers.
    await pause(Math.random() * 40);
    if (kill === KILLS_PER_SERVER) {
      orphans.push(await server.abandon());
      server = await Server.start({ dataDir });
    }
    expect([kill, await server.killWorkerd()]).toEqual([kill, true]);
  }
}

it("keeps every acknowledged mail once while workerd is killed ten times", { timeout: 300_000 }, async () => {
  const boxes = await inParallel([1, 2, 3], 3, () => server.service.createMailbox());
  const mails = Array.from({ length: MAILS }, (_, number) => compose(number, boxes));
  const senders = Array.from({ length: SENDERS }, () => new Sender());
  const progress = new Progress();

  const killing = killTenTimes(progress);
  const queue = mails.values();
  const sending = senders.map(async (sender) => {
    for (const mail of queue) {
      await sender.send(mail);
      progress.count();
    }
    sender.close();
  });
  await Promise.all([...sending, killing]);
  // Otherwise no kill interrupted a transaction, and the test has shown nothing.
  expect(senders.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(KILLS);

  // Everything that is read after this restart was on disk.
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  server = await Server.start({ dataDir });
  for (const box of boxes)
    await expectWhole(
      box,
      mails.filter(({ to }) => to.includes(box.mailbox)),
    );
});

async function expectWhole({ mailbox, api_key }: MailboxKey, mails: readonly Mail[]): Promise<void> {
  const { service } = server;
  const inbox = await service.inbox(api_key);
  expect(new Set(inbox.map(({ id }) => id)).size).toBe(inbox.length);
  expect((await service.inbox(api_key, 7)).map(({ id }) => id)).toEqual(inbox.map(({ id }) => id));

  const found = await inParallel(inbox, 8, async ({ id }) => ({
    id,
    messageId: (await service.email(api_key, id)).message_id,
    raw: await service.raw(api_key, id),
  }));
  expect(sorted(found.map(({ messageId }) => messageId))).toEqual(
    sorted(mails.map(({ messageId }) => messageId)),
  );
  const byMessageId = new Map(found.map((one) => [one.messageId, one]));
  const changed = mails.filter(({ messageId, bytes }) => !byMessageId.get(messageId)?.raw.equals(bytes));
  expect(changed.map(({ number }) => number)).toEqual([]);

  await inParallel(mails, 8, async ({ word, messageId }) => {
    const hits = await service.search(api_key, word);
    expect([word, hits.map(({ id }) => id)]).toEqual([word, [byMessageId.get(messageId)?.id]]);
  });
  const all = await service.search(api_key, "killrun");
  expect(sorted(all.map(({ id }) => id))).toEqual(sorted(inbox.map(({ id }) => id)));

  await expectThreads(api_key, inbox, mails);
  const storage_bytes = mails.reduce((sum, { bytes }) => sum + bytes.length, 0);
  expect((await service.ask("/v1/stats", { key: api_key })).body).toMatchObject({
    mailbox,
    total_emails: mails.length,
    inbound: mails.length,
    outbound: 0,
    storage_bytes,
    ingest: { pending: 0, parsed: mails.length, failed: 0 },
  });
}

/** Expects one thread for each conversation, with the number of mails that the list shows. */
async function expectThreads(
  key: string,
  inbox: readonly EmailSummary[],
  mails: readonly Mail[],
): Promise<void> {
  const { service } = server;
  const threads = await service.threads(key, 7);
  expect(new Set(threads.map(({ thread_id }) => thread_id)).size).toBe(threads.length);
  const conversations = await inParallel(
    threads,
    8,
    async ({ thread_id, message_count, latest_email_id }) => {
      const { emails } = await service.thread(key, thread_id);
      const listed = inbox.filter((one) => one.thread_id === thread_id);
      expect(emails.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toReversed());
      expect([message_count, latest_email_id]).toEqual([listed.length, listed[0]?.id]);
      return sorted(emails.map(({ message_id }) => message_id));
    },
  );
  const expected = Map.groupBy(mails, ({ conversation }) => conversation);
  expect(sorted(conversations.map((ids) => ids.join(" ")))).toEqual(
    sorted([...expected.values()].map((group) => sorted(group.map(({ messageId }) => messageId)).join(" "))),
  );
}

const sorted = (texts: readonly (string | null)[]): string[] => texts.map(String).toSorted();

it("starts workerd again when it dies while it starts", async () => {
  const unlucky = await Server.start();
  onTestFinished(async () => void (await unlucky.stop()));
  expect(await unlucky.killWorkerd()).toBe(true);
  // The new process has just started and does not listen yet.
  await unlucky.killWorkerd();
  expect([await unlucky.answers(), unlucky.process.stderr]).toEqual([true, expect.any(String)]);
  expect(await unlucky.stop()).toEqual({ code: 0, signal: null });
});

it("gives up with one line and exit code 1 when workerd dies too often", async () => {
  const broken = await Server.start();
  onTestFinished(async () => void (await broken.stop()));
  let kills = 0;
  while (await broken.answers()) {
    kills += 1;
    await broken.killWorkerd();
  }
  // It must survive KILLS_PER_SERVER kills; more are possible if they took longer than a minute.
  expect(kills).toBeGreaterThan(KILLS_PER_SERVER);
  expect(await broken.stop()).toEqual({ code: 1, signal: null });
  const lines = broken.process.stderr.trimEnd().split("\n");
  expect(lines.pop()).toMatch(/^workerd died \d+ times within a minute$/);
  expect(new Set(lines)).toEqual(new Set(["workerd died and was started again"]));
});
