import { createHash } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Mailkeep } from "../../../src/client/index.ts";
import { newKey } from "../../../src/client/methods.ts";
import { Server } from "../../served/server.ts";

let server: Server;
let operator: Mailkeep;

beforeAll(async () => {
  server = await Server.start();
  operator = new Mailkeep({ url: server.url, key: server.token });
});
afterAll(() => server.stop());

const MAIL = (to: string, subject: string, text: string): string =>
  `From: Shop <login@shop.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;

/** A client of a new permanent mailbox. */
async function permanent(): Promise<{ mail: Mailkeep; address: string }> {
  const { api_key: key, mailbox } = await operator.mailboxes.create({ name: newKey().slice(0, 12) });
  return { mail: new Mailkeep({ url: server.url, key }), address: mailbox };
}

it("misses no event and repeats none while the service restarts", async () => {
  const { mail, address } = await permanent();
  const delivered: string[] = [];
  const heard: string[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const listening = (async () => {
    for await (const { seq, data } of mail.events({ after: 0, signal }))
      heard.push(`${seq} ${data.email_id}`);
  })();
  for (let round = 0; round < 4; round += 1) {
    for (let number = 0; number < 10; number += 1) {
      const answer = await operator.inbound(MAIL(address, `Mail ${round}.${number}`, "Hello."), {
        to: [address],
      });
      if ("id" in answer) delivered.push(`${delivered.length + 1} ${answer.id}`);
    }
    if (round === 3) break;
    expect(await server.killWorkerd()).toBe(true);
    expect(await server.answers()).toBe(true);
  }
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(delivered.length);
  controller.abort();
  await listening;
  expect(delivered).toHaveLength(40);
  expect(heard).toEqual(delivered);
});

it("holds little of a large file that it sends or reads", async () => {
  const { mail } = await permanent();
  // A new one each time: a copy of the stream that somebody keeps would else hold the same one many times.
  const chunk = () => new Uint8Array(65_536).fill(7);
  const chunks = Math.floor(99_000_000 / chunk().length);
  const sizeBytes = chunks * chunk().length;
  const digest = createHash("sha256");
  for (let sent = 0; sent < chunks; sent += 1) digest.update(chunk());
  const sha256 = digest.digest("hex");

  const memory = new PeakMemory();
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      memory.look();
      controller.enqueue(chunk());
      sent += 1;
      if (sent === chunks) controller.close();
    },
  });
  const upload = await mail.attachments.upload(stream, { filename: "large.bin" });
  expect(upload).toMatchObject({ size_bytes: sizeBytes, sha256 });
  expect(memory.grownBytes).toBeLessThan(HELD_BYTES);

  const { id } = await mail.send({
    to: "bob@elsewhere.example",
    subject: "A large file",
    text: "Here.",
    attachments: [{ attachment_id: upload.id }],
  });
  const [file] = (await mail.emails.get(id)).attachments;
  const reading = new PeakMemory();
  const read = createHash("sha256");
  const { body } = await mail.attachments.download(file?.id ?? "");
  for await (const part of body ?? []) {
    reading.look();
    read.update(part);
  }
  expect(read.digest("hex")).toBe(sha256);
  expect(reading.grownBytes).toBeLessThan(HELD_BYTES);
});

/** A file is larger by far: a few chunks are held at a time. */
const HELD_BYTES = 48_000_000;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** How much more memory than at first this process holds, at most. Garbage does not count, however late it is collected. */
class PeakMemory {
  readonly #first = heldBytes();
  #peak = 0;

  look(): void {
    // To collect at each chunk would take long.
    if (heldBytes() - this.#first > HELD_BYTES / 2) collectGarbage();
    this.#peak = Math.max(this.#peak, heldBytes());
  }

  get grownBytes(): number {
    return this.#peak - this.#first;
  }
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
