import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forgetPeak, resident } from "../../scripts/bench/process-cost.ts";
import type { Upload } from "../../src/contract/upload.ts";
import { SmtpPeer } from "../transport/smtp-peer.ts";
import type { MailboxKey } from "./client.ts";
import { copies, isTried, reading, send } from "./outgoing.ts";
import { Server } from "./server.ts";

const MB = 1_000_000;
const TEXT = "The whole of it.\r\n";
/** With the text, the message has exactly the size of the limit (docs/limits.md#sending). */
const LARGEST_BYTES = 100 * MB - Buffer.byteLength(TEXT);
/** Allowed growth of workerd: 105 to 150 MB were measured; a message held in memory would add 137 MB. */
const MAX_GROWTH_BYTES = 210 * MB;

let relay: SmtpPeer;
let server: Server;
let box: MailboxKey;

beforeAll(async () => {
  relay = await SmtpPeer.start({ offers: [`SIZE ${200 * MB}`] });
  server = await Server.start({ env: { SMTP_URL: relay.url() } });
  box = await server.service.createMailbox();
}, 120_000);

afterAll(async () => {
  await server.stop();
  relay.stop();
});

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function upload(bytes: Uint8Array): Promise<Upload> {
  const { status, body } = await server.service.ask<Upload>("/v1/attachments?filename=largest.bin", {
    key: box.api_key,
    body: bytes,
    headers: { "Content-Type": "application/octet-stream" },
  });
  expect([status, body.size_bytes]).toEqual([201, bytes.byteLength]);
  return body;
}

/** The content of the only attachment of a message. */
function attachmentOf(raw: Buffer): Buffer {
  const disposition = raw.indexOf("Content-Disposition: attachment");
  const start = raw.indexOf("\r\n\r\n", disposition) + 4;
  const end = raw.indexOf("\r\n--", start);
  expect([disposition, end]).not.toContain(-1);
  return Buffer.from(raw.toString("latin1", start, end), "base64");
}

it("sends the largest allowed message byte for byte, without holding it in memory", async () => {
  const content = randomBytes(LARGEST_BYTES);
  const { id, sha256: digest } = await upload(content);
  expect(digest).toBe(sha256(content));
  const tooLong = { to: "x@elsewhere.example", text: `${TEXT}!`, attachments: [{ attachment_id: id }] };
  expect((await send(server.service, box, tooLong)).status).toBe(413);

  const pid = await server.workerdPid();
  const idleBytes = resident(pid).bytes;
  forgetPeak(pid);
  const sent = await send(server.service, box, { ...tooLong, text: TEXT });
  const email = await reading(server.service, box, sent.body.id, isTried);
  expect(email.delivery).toMatchObject([{ status: "sent" }]);
  expect(resident(pid).peakBytes - idleBytes).toBeLessThan(MAX_GROWTH_BYTES);

  const taken = copies(relay, sent.body.message_id);
  expect(taken).toHaveLength(1);
  const { bytes, commands } = taken[0] ?? { bytes: Buffer.alloc(0), commands: [] };
  const received = attachmentOf(bytes);
  expect([received.length, sha256(received)]).toEqual([content.length, digest]);
  // The announced size is the actual one (RFC 1870 §5).
  expect(commands.find((line) => line.startsWith("MAIL"))).toContain(` SIZE=${bytes.length}`);
  const raw = await server.service.raw(box.api_key, sent.body.id);
  expect([raw.length, sha256(raw)]).toEqual([bytes.length, sha256(bytes)]);
});
