import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetPeak, resident } from "../../scripts/bench/process-cost.ts";
import type { MailboxKey } from "./client.ts";
import { message } from "./messages.ts";
import { Server } from "./server.ts";
import { deliver } from "./smtp.ts";

const MB = 1_000_000;
/** The share of the JavaScript heap, in MB. What lies outside of it counts as resident memory. */
const HEAP_MB = 48;
/** Resident memory that a receipt may add to a fresh workerd: its heap, its buffers, garbage, and the files' cache of the process. */
const MAX_GROWTH_BYTES = 48 * MB;
const MAX_GROWTH_OF_TWO_BYTES = 80 * MB;

/** Bytes of a file that takes 24 MB in base64. */
const FILE_BYTES = 17_500_000;
const file = randomBytes(FILE_BYTES);
const encoded = Buffer.from(file.toString("base64").replaceAll(/.{76}/g, "$&\r\n"));

function largeMail(): Buffer {
  const part = (type: string): string => `--b\r\nContent-Type: ${type}\r\n`;
  return message({
    subject: "A large file",
    headers: ["MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="b"'],
    body: Buffer.concat([
      Buffer.from(`${part("text/plain")}\r\nSee the file.\r\n${part("application/zip")}`),
      Buffer.from("Content-Transfer-Encoding: base64\r\n\r\n"),
      encoded,
      Buffer.from("\r\n--b--\r\n"),
    ]),
  });
}

let server: Server;
let box: MailboxKey;
let pid: number;
let idleBytes: number;

beforeAll(async () => {
  const flags = `--max-semi-space-size=2 --max-old-space-size=${HEAP_MB}`;
  server = await Server.start({ env: { MINIFLARE_WORKERD_V8_FLAGS: flags } });
  box = await server.service.createMailbox();
  await server.service.handOver(box.mailbox, message());
  pid = await server.workerdPid();
  idleBytes = resident(pid).bytes;
}, 180_000);

afterAll(() => server.stop());

const bySmtp = async (): Promise<string> => {
  const [to, bytes] = [[box.mailbox], largeMail()];
  return (await deliver(server.smtpPort, { from: "ann@example.com", to, bytes })).data ?? "";
};

/** The most resident memory during `work`, above that of the idle server. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  forgetPeak(pid);
  await work();
  expect(await server.workerdPid()).toBe(pid);
  return resident(pid).peakBytes - idleBytes;
}

describe("a message of 24 MB, in an isolate of little memory,", () => {
  it("takes little memory by HTTP", async () => {
    const bytes = largeMail();
    expect(bytes.length).toBeGreaterThan(23_900_000);
    let status = 0;
    const grown = await growth(async () => {
      ({ status } = await server.service.handOver(box.mailbox, bytes));
    });
    expect(status).toBe(202);
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it("takes little memory by SMTP", async () => {
    let data = "";
    expect(await growth(async () => void (data = await bySmtp()))).toBeLessThan(MAX_GROWTH_BYTES);
    expect(data).toMatch(/^250 /);
  });

  it("takes little memory beside another one", async () => {
    let data: string[] = [];
    const both = async () => void (data = await Promise.all([bySmtp(), bySmtp()]));
    expect(await growth(both)).toBeLessThan(MAX_GROWTH_OF_TWO_BYTES);
    expect(data).toEqual([expect.stringMatching(/^250 /), expect.stringMatching(/^250 /)]);
  });

  it("leaves so little in memory that twenty, one after another, take no more than two at once", async () => {
    const grown = await growth(async () => {
      for (let sent = 0; sent < 20; sent += 1) await server.service.handOver(box.mailbox, largeMail());
    });
    expect(grown).toBeLessThan(MAX_GROWTH_OF_TWO_BYTES);
  });

  it("leaves little in memory of twenty extractions at once, of a text as large", async () => {
    const body = Buffer.alloc(24 * MB, "lorem ipsum dolor sit\r\n");
    const { body: stored } = await server.service.handOver(box.mailbox, message({ subject: "Text", body }));
    const extract = () =>
      server.service.ask("/v1/extract", { key: box.api_key, json: { email_id: stored.id, type: "code" } });
    let statuses: number[] = [];
    const grown = await growth(async () => {
      statuses = (await Promise.all(Array.from({ length: 20 }, extract))).map(({ status }) => status);
    });
    expect(statuses).toEqual(Array(20).fill(200));
    expect(grown).toBeLessThan(MAX_GROWTH_OF_TWO_BYTES);
  });

  it("gives its file back, all of it and by range", async () => {
    const newest = (await server.service.inbox(box.api_key)).find((one) => one.subject === "A large file");
    const { attachments } = await server.service.email(box.api_key, newest?.id ?? "");
    const [attachment] = attachments;
    expect(attachment?.size_bytes).toBe(FILE_BYTES);
    const read = async (headers: Record<string, string>) => {
      const Authorization = `Bearer ${box.api_key}`;
      const path = `${server.url}/v1/attachments/${attachment?.id}`;
      const response = await fetch(path, { headers: { Authorization, ...headers } });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
    const whole = await read({});
    expect([whole.status, sha256(whole.bytes)]).toEqual([200, sha256(file)]);
    const range = await read({ Range: `bytes=${FILE_BYTES - 5_000_001}-${FILE_BYTES - 5}` });
    expect(range.status).toBe(206);
    expect(range.bytes.equals(file.subarray(FILE_BYTES - 5_000_001, FILE_BYTES - 4))).toBe(true);
  });
});
