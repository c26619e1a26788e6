import { createHmac } from "node:crypto";
import { VERSION } from "../contract/product.ts";

/** What a delivery says of itself in its headers. */
export interface SignedMessage {
  /** `webhook-id`: the same at every attempt, so that a receiver can tell a repeat. */
  id: string;
  /** Whole seconds since 1970 of this attempt: a receiver refuses what was captured long ago (T57). */
  timestampSeconds: number;
  /** The event kind. */
  event: string;
  emailId: string;
}

/** `previous` are those that sign too while receivers change over, the newest first. */
export interface SigningSecrets {
  current: string;
  previous: readonly string[];
}

/** How secrets of Standard Webhooks begin; the rest is base64. */
export const SECRET_PREFIX = "whsec_";

const USER_AGENT = `Mailkeep/${VERSION}`;

/** Padded or not, as receivers' libraries take it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{4})$/;

/**
 * The key of `webhook-signature`: a `whsec_` secret decoded as Standard Webhooks says, any other as its UTF-8 bytes. One
 * that only begins like `whsec_` counts as any other.
 */
export function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : "";
  return BASE64.test(encoded) ? Buffer.from(encoded, "base64") : Buffer.from(secret, "utf8");
}

/** Standard Webhooks v1: HMAC-SHA-256 over `id.timestamp.body`, in base64. */
function standardSignature(body: Uint8Array | string, message: SignedMessage, secret: string): string {
  const hmac = createHmac("sha256", standardKey(secret));
  hmac.update(`${message.id}.${message.timestampSeconds}.`).update(body);
  return `v1,${hmac.digest("base64")}`;
}

/**
 * The headers of one attempt to deliver exactly the bytes of `body` (a string is its UTF-8). `X-Webhook-Signature` knows
 * the newest secret only, as the UTF-8 bytes of the whole string (interface specification, Webhook delivery 4);
 * `webhook-signature` carries one signature for each secret, the newest first (wire contract, part 5).
 */
export function signatureHeaders(
  body: Uint8Array | string,
  message: SignedMessage,
  secrets: SigningSecrets,
): Record<string, string> {
  const known = [secrets.current, ...secrets.previous];
  return {
    "X-Webhook-Signature": `sha256=${createHmac("sha256", secrets.current).update(body).digest("hex")}`,
    "X-Webhook-Event": message.event,
    "X-Webhook-Id": message.emailId,
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestampSeconds),
    "webhook-signature": known.map((secret) => standardSignature(body, message, secret)).join(" "),
    "User-Agent": USER_AGENT,
  };
}
