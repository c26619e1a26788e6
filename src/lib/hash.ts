import { createHmac, hash, randomBytes } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * From here on the runtime's own digest is the faster one: it makes a stream object for each, which takes ten times as long as
 * the digest of a few dozen bytes.
 */
const SHORT_CHARS = 768;

/** SHA-256 in lower-case hex. Synchronous: a digest of a few bytes is not worth a turn of the event loop. */
export function sha256Hex(input: string | Uint8Array): string {
  if (typeof input === "string" && input.length < SHORT_CHARS) {
    return bytesToHex(sha256(Buffer.from(input)));
  }
  return hash("sha256", input, "hex");
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
