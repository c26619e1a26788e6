import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/contract/product.ts";
import { signatureHeaders, standardKey } from "../../src/webhooks/sign.ts";

const NEW_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const RAW_SECRET = "a plain secret of sixteen or more";

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const message = (timestampSeconds = nowSeconds()) => ({
  id: "evt_0123456789abcdef_7",
  timestampSeconds,
  event: "message.received",
  emailId: "0190f3a2-0000-7000-8000-000000000001",
});
const only = (current: string) => ({ current, previous: [] });
const hex = (secret: string, body: string) =>
  createHmac("sha256", Buffer.from(secret, "utf8")).update(Buffer.from(body, "utf8")).digest("hex");

const BODY = JSON.stringify({ event: "message.received", subject: "Grüße 👋 \u2028 日本" });

describe("the headers of a delivery", () => {
  it("are exactly these", () => {
    const headers = signatureHeaders(BODY, message(1_700_000_000), only(NEW_SECRET));
    expect(headers).toEqual({
      "X-Webhook-Signature": `sha256=${hex(NEW_SECRET, BODY)}`,
      "X-Webhook-Event": "message.received",
      "X-Webhook-Id": "0190f3a2-0000-7000-8000-000000000001",
      "webhook-id": "evt_0123456789abcdef_7",
      "webhook-timestamp": "1700000000",
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      "User-Agent": `Mailkeep/${VERSION}`,
    });
  });

  it("sign a known delivery as the Standard Webhooks libraries do", () => {
    const known = { ...message(1_614_265_330), id: "msg_p5jXN8AQM9LWM0D4loKWxJek" };
    const headers = signatureHeaders('{"test": 2432232314}', known, only(NEW_SECRET));
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("sign the bytes: a text and its UTF-8 have the same signature", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (body) => {
        const bytes = new TextEncoder().encode(body);
        expect(signatureHeaders(bytes, message(1), only(NEW_SECRET))).toEqual(
          signatureHeaders(body, message(1), only(NEW_SECRET)),
        );
      }),
    );
  });

  it("sign the time and the id too, so that a replayed request is seen", () => {
    const headers = signatureHeaders(BODY, message(), only(NEW_SECRET));
    const verifier = new Webhook(NEW_SECRET);
    const later = { ...headers, "webhook-timestamp": String(nowSeconds() + 1) };
    expect(() => verifier.verify(BODY, later)).toThrow("No matching signature");
    expect(() => verifier.verify(BODY, { ...headers, "webhook-id": "evt_other" })).toThrow("No matching");
    const old = signatureHeaders(BODY, message(nowSeconds() - 301), only(NEW_SECRET));
    expect(() => verifier.verify(BODY, old)).toThrow("too old");
  });
});

describe("a ready-made Standard Webhooks verifier", () => {
  it("accepts a delivery, whatever its text", () => {
    fc.assert(
      fc.property(fc.record({ subject: fc.string({ unit: "binary" }), from: fc.string() }), (event) => {
        const body = JSON.stringify(event);
        const headers = signatureHeaders(body, message(), only(NEW_SECRET));
        expect(new Webhook(NEW_SECRET).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(NEW_SECRET).verify(`${body} `, headers)).toThrow("No matching");
        expect(() => new Webhook(OLD_SECRET).verify(body, headers)).toThrow("No matching");
      }),
    );
  });

  it("accepts a delivery by a secret without whsec_ with its option for raw secrets", () => {
    const headers = signatureHeaders(BODY, message(), only(RAW_SECRET));
    expect(new Webhook(RAW_SECRET, { format: "raw" }).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    const umlauts = "geheimnis mit Umlauten: äöü";
    const signed = signatureHeaders(BODY, message(), only(umlauts));
    const key = new TextEncoder().encode(umlauts);
    expect(new Webhook(key, { format: "raw" }).verify(BODY, signed)).toEqual(JSON.parse(BODY));
  });

  it.each([
    ["whsec_ to whsec_", NEW_SECRET, OLD_SECRET],
    ["raw to whsec_", NEW_SECRET, RAW_SECRET],
    ["whsec_ to raw", RAW_SECRET, OLD_SECRET],
  ])("accepts the old and the new secret while one changes from %s", (_, current, previous) => {
    const headers = signatureHeaders(BODY, message(), { current, previous: [previous] });
    for (const secret of [current, previous]) {
      const verifier = new Webhook(standardKey(secret), { format: "raw" });
      expect(verifier.verify(BODY, headers)).toEqual(JSON.parse(BODY));
    }
    const signatures = headers["webhook-signature"]?.split(" ");
    expect(signatures).toHaveLength(2);
    expect(signatures?.[0]).toBe(signatureHeaders(BODY, message(), only(current))["webhook-signature"]);
    expect(headers["X-Webhook-Signature"]).toBe(`sha256=${hex(current, BODY)}`);
  });
});

describe("the key of a secret", () => {
  it("is what the package decodes from a whsec_ secret, with or without padding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3, maxLength: 64 }), fc.boolean(), (bytes, padded) => {
        const encoded = Buffer.from(bytes).toString("base64");
        const secret = `whsec_${padded ? encoded : encoded.replace(/=+$/, "")}`;
        expect(new Uint8Array(standardKey(secret))).toEqual(bytes);
        const headers = signatureHeaders("{}", message(), only(secret));
        expect(new Webhook(secret).verify("{}", headers)).toEqual({});
      }),
    );
  });

  it.each([
    "whsec_",
    "whsec_not base64!",
    "whsec_QU-_",
    "whsec_Q",
    "whsec_QUJDR",
    "WHSEC_QUJD",
    "QUJDREVGR0g=",
  ])("is the bytes of the secret if that is %j", (secret) => {
    expect(Buffer.from(standardKey(secret)).toString("utf8")).toBe(secret);
  });
});
