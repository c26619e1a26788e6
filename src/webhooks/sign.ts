import { createHmac } from "node:crypto";
import { VERSION } from "../contract/product.ts";

/** The data in the headers of a delivery. */
export interface SignedMessage {
  /** Its `webhook-id`: the same at every attempt, so that a receiver recognises a repeat. */
  id: string;
  /** Time of this attempt in seconds since 1970: a receiver refuses old ones, so that a captured request cannot be replayed. */
  timestampSeconds: number;
  /** The event kind. */
  event: string;
  emailId: string;
}

/** The secrets that sign. `previous` ones also sign while receivers change over; the newest is first. */
export interface SigningSecrets {
  current: string;
  previous: readonly string[];
}

/** Prefix of a Standard Webhooks secret; the rest is base64. */
export const SECRET_PREFIX = "whsec_";

const USER_AGENT = `Mailkeep/${VERSION}`;

/** With or without padding, as the libraries of receivers accept it. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{4})$/;

/**
 * The key of `webhook-signature`: the decoded bytes of a `whsec_` secret, as Standard Webhooks says, or the UTF-8 bytes of any
 * other. A secret with that prefix and no valid base64 behind it counts as any other.
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
 * The headers of one attempt to deliver exactly the bytes of `body` (a string is sent in UTF-8). `X-Webhook-Signature` is keyed
 * with the UTF-8 bytes of the whole newest secret; `webhook-signature` has one signature for each secret, the newest first.
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
