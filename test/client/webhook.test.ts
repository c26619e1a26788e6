import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SignatureError, verifyWebhook } from "../../src/client/index.ts";
import { eventId, testBody } from "../../src/webhooks/body.ts";
import { signatureHeaders } from "../../src/webhooks/sign.ts";

const SECRET = "a secret of sixteen bytes";
const NOW_MS = Date.parse("2026-11-21T08:30:00Z");
const ID = eventId("0".repeat(32), 7);
const BODY = testBody({
  id: ID,
  mailbox: "ann@mail.example",
  emailId: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  labels: [],
  at: "2026-11-21T08:30:00.000Z",
});

interface Signed {
  body?: string;
  secret?: string;
  previous?: string[];
  atMs?: number;
}

/** The headers with which the service would deliver a body. */
function headersOf({ body = BODY, secret = SECRET, previous = [], atMs = NOW_MS }: Signed = {}) {
  const message = {
    id: ID,
    timestampSeconds: Math.floor(atMs / 1_000),
    event: "message.received",
    emailId: "1",
  };
  return signatureHeaders(body, message, { current: secret, previous });
}

function without(headers: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

const verify = (headers: Record<string, string>, body = BODY, secret: string | string[] = SECRET) =>
  verifyWebhook({ headers, body }, secret, { nowMs: NOW_MS });
const fault = (code: string) => ({ name: "SignatureError", code });

/** Secrets of every kind that a mailbox may set. */
const secrets = fc.oneof(
  fc.string({ minLength: 16, maxLength: 64, unit: "grapheme-ascii" }),
  fc
    .uint8Array({ minLength: 12, maxLength: 48 })
    .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`),
  fc.constantFrom("whsec_", "whsec_no base64 at all", "whsec_YWJj", "whsec_YWI"),
);

describe("verifyWebhook", () => {
  it("believes what the service signs, by either signature, whatever the secret", async () => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.json(), async (secret, body) => {
        const headers = headersOf({ body, secret });
        expect(await verify(headers, body, secret)).toEqual(JSON.parse(body));
        expect(await verify(without(headers, "webhook-signature"), body, secret)).toEqual(JSON.parse(body));
      }),
      { numRuns: 50 },
    );
  });

  it("does not believe another body, id, time or secret", async () => {
    const headers = headersOf();
    const forged: Parameters<typeof verify>[] = [
      [headers, `${BODY} `],
      [{ ...headers, "webhook-id": `${ID}1` }],
      [{ ...headers, "webhook-timestamp": String(NOW_MS / 1_000 + 1) }],
      [headers, BODY, "another secret, also of sixteen bytes"],
      [without(headers, "webhook-signature"), `${BODY} `],
      [{ ...headers, "webhook-signature": "" }],
      [{ ...headers, "webhook-signature": "v1," }],
      [{ ...headers, "webhook-signature": headers["webhook-signature"]?.replace("v1,", "v1a,") ?? "" }],
    ];
    // One after the other: a promise that fails before it is awaited counts as unhandled.
    for (const request of forged) {
      await expect(verify(...request)).rejects.toMatchObject(fault("wrong_signature"));
    }
  });

  it("believes any one of several signatures, and any one of several secrets", async () => {
    const changing = headersOf({ secret: "the secret that comes next", previous: [SECRET] });
    await expect(verify(changing)).resolves.toMatchObject({ event_id: ID });
    await expect(verify(headersOf(), BODY, ["the secret that comes next", SECRET])).resolves.toBeDefined();
  });

  it("checks the signature without a time only where that with a time is missing", async () => {
    const headers = { ...headersOf(), "webhook-signature": "v1,AAAA" };
    await expect(verify(headers)).rejects.toMatchObject(fault("wrong_signature"));
  });

  it("refuses attempts of more than five minutes ago, or in the future", async () => {
    const fiveMinutes = 300_000;
    await expect(verify(headersOf({ atMs: NOW_MS - fiveMinutes }))).resolves.toBeDefined();
    await expect(verify(headersOf({ atMs: NOW_MS + fiveMinutes }))).resolves.toBeDefined();
    for (const off of [-fiveMinutes - 1_000, fiveMinutes + 1_000]) {
      await expect(verify(headersOf({ atMs: NOW_MS + off }))).rejects.toMatchObject(fault("wrong_time"));
    }
  });

  it("refuses a request without a signature, and a signed body that is not JSON", async () => {
    const unsigned = without(headersOf(), "webhook-signature", "X-Webhook-Signature");
    await expect(verify(unsigned)).rejects.toBeInstanceOf(SignatureError);
    await expect(verify(unsigned)).rejects.toMatchObject(fault("no_signature"));
    await expect(verify(headersOf({ body: "no" }), "no")).rejects.toMatchObject(fault("not_json"));
  });

  it("takes a Request, and the headers and bytes of other servers", async () => {
    const headers = headersOf();
    const request = new Request("https://you.example/hook", { method: "POST", headers, body: BODY });
    await expect(verifyWebhook(request, SECRET, { nowMs: NOW_MS })).resolves.toMatchObject({ test: true });
    const plain = { headers: { ...headers, Cookie: ["a", "b"] }, body: Buffer.from(BODY) };
    await expect(verifyWebhook(plain, SECRET, { nowMs: NOW_MS })).resolves.toMatchObject({ test: true });
  });

  it("refuses to check without a secret", async () => {
    for (const secret of ["", [], [SECRET, ""], undefined as unknown as string]) {
      const checked = verifyWebhook({ headers: headersOf(), body: BODY }, secret, { nowMs: NOW_MS });
      await expect(checked).rejects.toThrow("needs the secret");
    }
  });
});
