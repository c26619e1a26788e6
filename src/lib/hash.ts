import { createHmac, hash, randomBytes } from "node:crypto";
import { sha256Words } from "./sha256.ts";

/**
 * From here on the runtime's own digest is the faster one: it makes a stream object for each, which takes ten times as long as
 * the digest of a few dozen bytes.
 */
const SHORT_CHARS = 768;

/** SHA-256 in lower-case hex. Synchronous: a digest of a few bytes is not worth a turn of the event loop. */
export function sha256Hex(input: string | Uint8Array): string {
  if (typeof input === "string" && input.length < SHORT_CHARS) return shortDigest(input);
  return hash("sha256", input, "hex");
}

// Keys, addresses and ids are digested by the thousand: the buffer is used again. Behind the text it has room for the padding.
const bytes = new Uint8Array(SHORT_CHARS * 3 + 128);
const UTF_8 = new TextEncoder();
const HEX_DIGITS = 8;

function shortDigest(text: string): string {
  const words = sha256Words(bytes, encode(text));
  let hex = "";
  for (let at = 0; at < words.length; at += 1) {
    hex += ((words[at] ?? 0) >>> 0).toString(16).padStart(HEX_DIGITS, "0");
  }
  return hex;
}

/** Writes `text` in UTF-8 to `bytes` and says how many it takes. ASCII, which most is, makes no object. */
function encode(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return UTF_8.encodeInto(text, bytes).written;
    bytes[at] = unit;
  }
  return text.length;
}

/** HMAC-SHA-256 of a UTF-8 text in lower-case hex. */
export function hmacHex(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

/** `bytes` random bytes in lower-case hex. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/** Compares two digests of one kind without telling by its time where they differ. */
export function digestsEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  // No early end, and no allocation: this runs for every key of every request.
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}
