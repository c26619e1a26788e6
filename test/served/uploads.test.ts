import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import { once } from "node:events";
import net from "node:net";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetPeak, resident } from "../../scripts/bench/process-cost.ts";
import type { Upload } from "../../src/contract/upload.ts";
import type { MailboxKey } from "./client.ts";
import { Server } from "./server.ts";

const MAX_BYTES = 100_000_000;
const PIECE = randomBytes(1_000_000);
const MB = 1_000_000;
/** Allowed growth of a fresh workerd for 100 MB; most of it is the local bucket's. Held in memory, they would add 235 MB. */
const MAX_GROWTH_BYTES = 180 * MB;

let server: Server;
let box: MailboxKey;

beforeAll(async () => {
  server = await Server.start();
  box = await server.service.createMailbox();
});
afterAll(async () => {
  await server.stop();
});

interface Sending {
  length: number;
  announced?: number | null;
}

/** Sends a body of `length` bytes in pieces, as fast as the server reads, and reads the answer whenever it comes. */
async function send({ length, announced = length }: Sending) {
  const request = http.request(`${server.url}/v1/attachments?filename=a.bin`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${box.api_key}`,
      ...(announced === null ? {} : { "Content-Length": announced }),
    },
  });
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  // The server may close the connection of a refused upload; the answer came before.
  request.on("error", () => {});
  let isAnswered = false;
  void answered.then(
    () => (isAnswered = true),
    () => (isAnswered = true),
  );
  for (let sent = 0; sent < length && !isAnswered; sent += PIECE.byteLength) {
    const piece = PIECE.subarray(0, Math.min(PIECE.byteLength, length - sent));
    if (!request.write(piece)) await Promise.race([once(request, "drain"), answered]);
  }
  request.end();
  const [response] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, body: JSON.parse(text) as Upload & { error: string } };
}

/** Digest of the 100 MB that are sent. */
const DIGEST = createHash("sha256")
  .update(Buffer.concat(Array<Buffer>(MAX_BYTES / PIECE.byteLength).fill(PIECE)))
  .digest("hex");

async function digestOfDownload(id: string): Promise<{ sha256: string; bytes: number }> {
  const response = await fetch(`${server.url}/v1/attachments/${id}`, {
    headers: { Authorization: `Bearer ${box.api_key}` },
  });
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { sha256: hash.digest("hex"), bytes };
}

const storage = async (): Promise<number> =>
  (await server.service.get<{ storage_bytes: number }>("/v1/stats", box.api_key)).storage_bytes;

/** Files of the bucket, complete or in parts. */
async function blobFiles(): Promise<string[]> {
  const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.parentPath.split(path.sep).includes("blobs"))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

describe("100 MB", () => {
  /** Uploads 100 MB, downloads them, and answers by how much workerd's memory grew during the upload, in bytes. */
  const growthOf = async (announced: number | null): Promise<number> => {
    const pid = await server.workerdPid();
    const before = resident(pid).bytes;
    forgetPeak(pid);
    const { status, body } = await send({ length: MAX_BYTES, announced });
    const { peakBytes } = resident(pid);
    expect([status, body.size_bytes, body.sha256]).toEqual([201, MAX_BYTES, DIGEST]);
    expect(await digestOfDownload(body.id)).toEqual({ sha256: DIGEST, bytes: MAX_BYTES });
    return peakBytes - before;
  };

  it("are uploaded and downloaded byte for byte, and workerd never holds them in memory", async () => {
    // This upload must be the first: later ones use memory that workerd has already allocated.
    expect(await growthOf(MAX_BYTES)).toBeLessThan(MAX_GROWTH_BYTES);
    await growthOf(null);
  });

  it("and one byte are refused by counting, with the name of the file", async () => {
    const { status, body } = await send({ length: MAX_BYTES + 1, announced: null });
    expect([status, body.error]).toEqual([413, "Attachment too large (max 100 MB)"]);
  });

  it("and one byte are refused by their Content-Length alone, before the body comes", async () => {
    const { status, body } = await server.service.ask("/v1/attachments?filename=a", {
      key: box.api_key,
      method: "POST",
      body: "the beginning",
      headers: { "Content-Length": MAX_BYTES + 1 },
      keepOpen: true,
    });
    expect([status, body.error]).toEqual([413, "Attachment too large (max 100 MB)"]);
  });
});

describe("a client that disconnects", () => {
  it.each([
    ["announced, a row", 300_000, true],
    ["announced, an object", 12 * MB, true],
    ["in parts", 12 * MB, false],
  ])("leaves nothing behind: %s", async (_, sent, isAnnounced) => {
    const [files, bytes] = [await blobFiles(), await storage()];
    const { hostname, port } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    await once(socket, "connect");
    const length = isAnnounced ? `Content-Length: ${sent + 1_000}` : "Transfer-Encoding: chunked";
    socket.write(
      `POST /v1/attachments?filename=cut HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${box.api_key}\r\n${length}\r\n\r\n`,
    );
    for (let left = sent; left > 0; left -= PIECE.byteLength) {
      const piece = PIECE.subarray(0, left);
      if (!isAnnounced) socket.write(`${piece.byteLength.toString(16)}\r\n`);
      if (!socket.write(piece)) await once(socket, "drain");
      if (!isAnnounced) socket.write("\r\n");
    }
    await expect.poll(storage, { timeout: 20_000 }).not.toBe(bytes);
    socket.destroy();
    await expect.poll(storage, { timeout: 20_000 }).toBe(bytes);
    await expect.poll(blobFiles, { timeout: 20_000 }).toEqual(files);
  });
});

describe("a file name in a header", () => {
  /** Sends the header's bytes as they are. */
  const named = async (disposition: Buffer) => {
    const { hostname, port } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      Buffer.concat([
        Buffer.from(
          `POST /v1/attachments HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${box.api_key}\r\nContent-Length: 1\r\nConnection: close\r\nContent-Disposition: `,
        ),
        disposition,
        Buffer.from("\r\n\r\nx"),
      ]),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it("must be UTF-8, or the error names its field", async () => {
    expect(await named(Buffer.from('attachment; filename="café 中.txt"'))).toContain(
      '"filename":"café 中.txt"',
    );
    const latin1 = await named(Buffer.from('attachment; filename="café.txt"', "latin1"));
    expect(latin1).toMatch(/^HTTP\/1.1 400 /);
    expect(latin1).toContain('"error":"filename: must be UTF-8"');
  });

  it("never breaks the server, however long", async () => {
    const long = await named(Buffer.from(`attachment; filename="${"n".repeat(10_000)}"`));
    expect(long).toMatch(/^HTTP\/1.1 400 /);
    expect(long).toContain("Content-Disposition: must be at most 4096 characters");
    expect((await send({ length: 1 })).status).toBe(201);
  });
});

it("The bytes of an object are stored once in the data folder, as one file", async () => {
  const before = await blobFiles();
  const { status } = await send({ length: 700_000 });
  expect(status).toBe(201);
  const added = (await blobFiles()).filter((file) => !before.includes(file));
  expect(added.length).toBe(1);
  expect((await readFile(added[0] ?? "")).equals(PIECE.subarray(0, 700_000))).toBe(true);
});
