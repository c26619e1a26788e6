import { generateKeyPairSync } from "node:crypto";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { describe, expect, it } from "vitest";
import { composeMessage } from "../../src/outbound/compose.ts";
import { dkimSignature, withFields } from "../../src/outbound/dkim.ts";
import { outgoingOf } from "./example.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const KEY = { domain: "mailkeep.test", selector: "s1", privateKey };

/** The verdict of a receiver's mailauth on `raw`: the result and the domain of its first signature. */
async function verdictOf(raw: Buffer): Promise<{ result?: string; domain?: string; aligned: boolean }> {
  const { results } = await dkimVerify(raw, {
    resolver: (name: string) =>
      name === "s1._domainkey.mailkeep.test"
        ? Promise.resolve([[`v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`]])
        : Promise.reject(new Error(`Nothing is known of ${name}`)),
  });
  const [first] = results ?? [];
  return {
    result: first?.status.result,
    domain: first?.signingDomain,
    aligned: first?.status.aligned === "mailkeep.test",
  };
}

async function signed(fields: Parameters<typeof outgoingOf>[0], content = new Uint8Array()): Promise<Buffer> {
  const { message } = outgoingOf(fields);
  const compose = () => composeMessage(message, () => new Blob([content]).stream());
  const chunks: Uint8Array[] = [];
  for await (const chunk of withFields(await dkimSignature(compose(), KEY), compose())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// In Node: mailauth reads DNS and files by itself, and needs no other runtime to be believed.
describe("the DKIM verifier mailauth", () => {
  const content = new Uint8Array(50_000).fill(66);
  const file = { filename: "Grüße.bin", content_type: "", content_id: "", sizeBytes: content.byteLength };

  it.each<[string, Parameters<typeof outgoingOf>[0]]>([
    ["plain text", {}],
    ["blanks and empty lines", { subject: "a  b", text: "a  \n\t b\n\n\n\n" }],
    ["text beyond ASCII", { subject: "Grüße — 請求書", to: ["李四 <li@x.com>"], text: "é".repeat(9_000) }],
    ["custom fields", { headers: { "List-Unsubscribe": "<https://x.com>", "X-A": "ü" }, cc: ["b@x.com"] }],
    ["files", { html: "<p>a", attachments: [file] }],
  ])("accepts the signature of a message with %s", async (_, fields) => {
    expect(await verdictOf(await signed(fields, content))).toEqual({
      result: "pass",
      domain: "mailkeep.test",
      aligned: true,
    });
  });

  it("rejects the signature once the message is changed", async () => {
    const raw = (await signed({ subject: "Pay 100" })).toString("latin1");
    const changed = async (from: string, to: string) =>
      (await verdictOf(Buffer.from(raw.replace(from, to), "latin1"))).result;
    expect(await changed("Pay 100", "Pay 900")).toBe("fail");
    expect(await changed("Hello.", "Hallo.")).not.toBe("pass");
  });
});
