import { createHash, type Hash } from "node:crypto";
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

/** Bytes gathered before they are digested: a call for each line of a header takes longer than its digest. */
const GATHERED_BYTES = 16_384;
const LF = 0x0a;
const CR = 0x0d;

/** The `contentDigest` of a message that comes in pieces, cut anywhere. */
export class ContentDigest {
  readonly #hash: Hash = createHash("sha256");
  readonly #gathered = new Uint8Array(GATHERED_BYTES);
  #gatheredBytes = 0;
  /** The beginning of the line, until it shows whether it is a trace field. */
  readonly #line = new Uint8Array(LONGEST_TRACE_NAME + 2);
  #lineBytes = 0;
  #isLineJudged = false;
  #isTrace = false;
  /** Whether the line so far holds nothing but carriage returns. */
  #isEmpty = true;
  #isHeader = true;

  /** Takes the next piece of the message. */
  update(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length && this.#isHeader) {
      at = this.#isLineJudged ? this.#restOfLine(bytes, at) : this.#beginningOfLine(bytes, at);
    }
    if (at < bytes.length) this.#hash.update(bytes.subarray(at));
  }

  /** The digest in hex, once the message is whole. */
  hex(): string {
    if (!this.#isLineJudged) this.#judge();
    this.#flush();
    return this.#hash.digest("hex");
  }

  #beginningOfLine(bytes: Uint8Array, from: number): number {
    const most = Math.min(bytes.length, from + this.#line.length - this.#lineBytes);
    let at = from;
    while (at < most) {
      const byte = bytes[at++] ?? 0;
      this.#line[this.#lineBytes++] = byte;
      if (byte === LF) return this.#endLine(at);
      if (byte !== CR) this.#isEmpty = false;
    }
    if (this.#lineBytes === this.#line.length) this.#judge();
    return at;
  }

  #restOfLine(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && bytes[at] !== LF) {
      if (bytes[at] !== CR) this.#isEmpty = false;
      at++;
    }
    const isEnded = at < bytes.length;
    if (isEnded) at++;
    if (!this.#isTrace) this.#gather(bytes.subarray(from, at));
    return isEnded ? this.#endLine(at) : at;
  }

  #endLine(at: number): number {
    if (!this.#isLineJudged) this.#judge();
    if (this.#isEmpty) {
      this.#isHeader = false;
      this.#flush();
    }
    this.#lineBytes = 0;
    this.#isLineJudged = false;
    this.#isEmpty = true;
    return at;
  }

  #judge(): void {
    const line = this.#line.subarray(0, this.#lineBytes);
    if (line[0] !== 0x20 && line[0] !== 0x09) this.#isTrace = isTraceField(line, 0);
    if (!this.#isTrace) this.#gather(line);
    this.#isLineJudged = true;
  }

  #gather(bytes: Uint8Array): void {
    if (this.#gatheredBytes + bytes.length > GATHERED_BYTES) this.#flush();
    if (bytes.length > GATHERED_BYTES) {
      this.#hash.update(bytes);
      return;
    }
    this.#gathered.set(bytes, this.#gatheredBytes);
    this.#gatheredBytes += bytes.length;
  }

  #flush(): void {
    this.#hash.update(this.#gathered.subarray(0, this.#gatheredBytes));
    this.#gatheredBytes = 0;
  }
}
