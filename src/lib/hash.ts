import { createHmac, hash, randomBytes } from "node:crypto";
import { shortSha256Hex } from "./sha256.ts";

/** SHA-256 in lower-case hex. Synchronous: a digest of a few bytes is not worth a turn of the event loop. */
export function sha256Hex(input: string | Uint8Array): string {
  const short = typeof input === "string" ? shortSha256Hex(input) : null;
  return short ?? hash("sha256", input, "hex");
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
