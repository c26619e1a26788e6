import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { OutgoingMessage } from "../../src/mail/compose/outgoing.ts";
import { parseMail } from "../../src/mail/mime/parse.ts";
import { composeMessage } from "../../src/outbound/compose.ts";
import { dkimSignature, withFields, type DkimKey } from "../../src/outbound/dkim.ts";
import { isSignedWith } from "../dkim-signature.ts";
import { outgoingOf } from "./example.ts";

const pair = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const KEY: DkimKey = { domain: "mailkeep.test", selector: "s1", privateKey: pair.privateKey };
const CONTENT = new Uint8Array(100_000).fill(65);

const { message } = outgoingOf({
  to: ["Jürgen <j@example.com>", "ann@example.com"],
  subject: "Grüße  with   blanks",
  text: "Trailing blanks   \n\n\nand empty lines\n\n\n",
  html: "<p>Grüße",
  attachments: [{ filename: "a.bin", content_type: "", content_id: "", sizeBytes: CONTENT.byteLength }],
});
const compose = (of: OutgoingMessage) => composeMessage(of, () => new Blob([CONTENT]).stream());

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function signed(of: OutgoingMessage = message): Promise<Buffer> {
  return bytesOf(withFields(await dkimSignature(compose(of), KEY), compose(of)));
}

const isVerified = (raw: Buffer) => isSignedWith(raw, createPublicKey(pair.publicKey));

describe("a signed message", () => {
  it("verifies, and is the composed message after its signature", async () => {
    const raw = await signed();
    expect(isVerified(raw)).toBe(true);
    const plain = await bytesOf(compose(message));
    expect(raw.subarray(raw.length - plain.length).equals(plain)).toBe(true);
    const { headers, subject } = await parseMail(raw);
    expect(subject).toBe("Grüße  with   blanks");
    expect(headers["dkim-signature"]).toMatch(/^v=1; a=rsa-sha256; c=relaxed\/relaxed; d=mailkeep\.test;/);
    for (const field of ["from", "to", "subject", "date", "message-id", "content-type", "mime-version"]) {
      expect(headers["dkim-signature"]).toMatch(new RegExp(`h=[^;]*\\b${field}\\b`));
    }
  });

  it("no longer verifies once a body or a signed field is changed", async () => {
    const raw = (await signed()).toString("latin1");
    expect(isVerified(Buffer.from(raw.replace("and empty", "und empty"), "latin1"))).toBe(false);
    expect(isVerified(Buffer.from(raw.replace("ann@example.com", "eve@example.com"), "latin1"))).toBe(false);
  });

  it("has the same bytes at every attempt", async () => {
    expect((await signed()).equals(await signed(JSON.parse(JSON.stringify(message))))).toBe(true);
  });

  it("throws with a key that cannot sign", async () => {
    const broken = { ...KEY, privateKey: "no key" };
    await expect(dkimSignature(compose(message), broken)).rejects.toThrow("cannot sign");
  });

  it("passes on the error of an attachment that cannot be read", async () => {
    const gone = (): never => {
      throw new Error("The blob is gone");
    };
    const failing = () => composeMessage(message, gone);
    await expect(dkimSignature(failing(), KEY)).rejects.toThrow("The blob is gone");
    await expect(bytesOf(withFields("X: y\r\n", failing()))).rejects.toThrow("The blob is gone");
  });
});
