import { createHash } from "node:crypto";
import { sha256Hex } from "../../lib/hash.ts";
import { latin1 } from "../../lib/latin1.ts";
import { isEmptyLine, lineEnd } from "./header-block.ts";

/**
 * Header fields that hosts on the way add (RFC 5321 §4.4, RFC 7208, 8601, 8617, and the habits of large hosts). A retry by
 * another path differs in these fields only. DKIM-Signature is the sender's own and stays.
 */
const TRACE_FIELDS: ReadonlySet<string> = new Set([
  "received",
  "return-path",
  "delivered-to",
  "x-original-to",
  "x-received",
  "received-spf",
  "authentication-results",
  "arc-seal",
  "arc-message-signature",
  "arc-authentication-results",
]);
const LONGEST_TRACE_NAME = 26;

/**
 * SHA-256, in hex, of a message without its trace fields: equal for a sender's retry over another path, different
 * for any other change of a byte, in header or body.
 */
export function contentDigest(raw: Uint8Array): string {
  const pieces = piecesToDigest(raw);
  const [only, ...others] = pieces;
  // Usually one piece is left, and hashing it takes one call instead of three.
  if (only !== undefined && others.length === 0) return sha256Hex(only);
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** The pieces of a message between its trace fields. */
function piecesToDigest(raw: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let keptFrom = 0;
  let isTrace = false;
  for (let at = 0; at < raw.length;) {
    const end = lineEnd(raw, at);
    if (isEmptyLine(raw, at, end)) break;
    const isFolded = raw[at] === 0x20 || raw[at] === 0x09;
    const wasTrace = isTrace;
    if (!isFolded) isTrace = isTraceField(raw, at);
    if (isTrace && !wasTrace && at > keptFrom) pieces.push(raw.subarray(keptFrom, at));
    if (isTrace) keptFrom = end;
    at = end;
  }
  return [...pieces, raw.subarray(keptFrom)];
}

/** First letters of TRACE_FIELDS in lower case: they rule most other fields out quickly. */
const TRACE_LETTERS: ReadonlySet<number> = new Set([...TRACE_FIELDS].map((name) => name.charCodeAt(0)));
const SMALL = 0x20;

function isTraceField(raw: Uint8Array, start: number): boolean {
  if (!TRACE_LETTERS.has((raw[start] ?? 0) | SMALL)) return false;
  const head = raw.subarray(start, start + LONGEST_TRACE_NAME + 2);
  const name = /^([\w-]+)[ \t]?:/.exec(latin1(head))?.[1];
  return name !== undefined && TRACE_FIELDS.has(name.toLowerCase());
}
