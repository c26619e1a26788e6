import type { WebhookEvent } from "./api.ts";

/** A request as a server got it. The body must be the bytes that came, because their signature is checked. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      body: string | Uint8Array;
    };

/** How a webhook is checked. */
export interface VerifyOptions {
  /** How far the time of the attempt may be from now, in seconds: 300 unless given. */
  toleranceSeconds?: number;
  /** The time now, in ms since 1970. */
  nowMs?: number;
}

/** Why a webhook is not believed. */
export type SignatureFault = "no_signature" | "wrong_signature" | "wrong_time" | "not_json";

/** A request that is no webhook of the service, or is an old one. Answer it with 401. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
  readonly code: SignatureFault;

  constructor(code: SignatureFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Bytes as the cryptography of every runtime takes them. */
type Bytes = Uint8Array<ArrayBuffer>;

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whsec_";
/** With or without padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{4})$/;

const utf8 = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text));

/**
 * The event of a webhook, if one of `secrets` signed it. `webhook-signature` (Standard Webhooks v1) covers the time of the attempt;
 * without that header `X-Webhook-Signature` is checked, which covers the body alone: then drop events whose `event_id` came before.
 * Throws {@link SignatureError}.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const known = [secrets].flat();
  if (known.length === 0 || !known.every((secret) => typeof secret === "string" && secret !== "")) {
    throw new TypeError("verifyWebhook needs the secret of the webhook");
  }
  const header = headersOf(request);
  const body = await bodyOf(request);
  const listed = header("webhook-signature");
  const whole = header("x-webhook-signature");
  if (listed === null && whole === null) {
    throw new SignatureError("no_signature", "The request has no signature");
  }
  const isSigned =
    listed === null
      ? await isSignedWhole(body, whole ?? "", known)
      : await isSignedWithTime(body, { header, listed, known });
  if (!isSigned)
    throw new SignatureError("wrong_signature", "The signature does not match the body and the secret");
  if (listed !== null) checkTime(header("webhook-timestamp") ?? "", options);
  return eventOf(body);
}

/** Reads a header field by its name in lower case. */
type Header = (name: string) => string | null;

async function isSignedWithTime(
  body: Bytes,
  { header, listed, known }: { header: Header; listed: string; known: readonly string[] },
): Promise<boolean> {
  const head = utf8(`${header("webhook-id") ?? ""}.${header("webhook-timestamp") ?? ""}.`);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  const given = listed.split(" ");
  let isSigned = false;
  for (const secret of known) {
    const right = `v1,${btoa(String.fromCharCode(...(await hmac(standardKey(secret), message))))}`;
    for (const signature of given) if (isEqual(signature, right)) isSigned = true;
  }
  return isSigned;
}

async function isSignedWhole(body: Bytes, given: string, known: readonly string[]): Promise<boolean> {
  let isSigned = false;
  for (const secret of known) {
    const digest = await hmac(utf8(secret), body);
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (isEqual(given, `sha256=${hex}`)) isSigned = true;
  }
  return isSigned;
}

/** The decoded bytes of `whsec_<base64>`, or the UTF-8 bytes of any other secret. */
function standardKey(secret: string): Bytes {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : "";
  if (!BASE64.test(encoded)) return utf8(secret);
  return Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
}

async function hmac(key: Bytes, message: Bytes): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/** Compares in a time that does not depend on where the texts differ. */
function isEqual(given: string, right: string): boolean {
  let difference = given.length ^ right.length;
  for (let index = 0; index < right.length; index += 1) {
    difference |= given.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

function checkTime(
  timestamp: string,
  { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() }: VerifyOptions,
): void {
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Math.abs(nowMs / 1_000 - seconds) <= toleranceSeconds) return;
  throw new SignatureError(
    "wrong_time",
    `The attempt is not within ${toleranceSeconds} s of now: ${JSON.stringify(timestamp)}`,
  );
}

function headersOf({ headers }: WebhookRequest): Header {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const known = new Map(fields);
  return (name) => {
    const [value = null] = [known.get(name)].flat();
    return typeof value === "string" ? value : null;
  };
}

async function bodyOf(request: WebhookRequest): Promise<Bytes> {
  if ("arrayBuffer" in request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  return typeof body === "string" ? utf8(body) : new Uint8Array(body);
}

function eventOf(body: Bytes): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new SignatureError("not_json", "The body is not JSON");
  }
}
