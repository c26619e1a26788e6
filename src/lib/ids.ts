import { sha256Hex } from "./hash.ts";
import { hex16 } from "./hex.ts";

/**
 * The number that orders everything in a mailbox: milliseconds since 1970 times 2,048, plus a counter within the
 * millisecond. It fits a JavaScript number until 2109, is the SQLite rowid, and names the public id, so that neither
 * the id nor the time of receipt needs an index of its own.
 */
export type Seq = number;

/** Numbers of one millisecond; a busier millisecond uses numbers of the next. */
export const SEQ_PER_MS = 2048;

/** The part of an id that says "the message itself"; attachment n is part n + 1. */
const WHOLE_MESSAGE = 0;
const PART_BITS = 16n;

/** The next unused number: always higher than the last one, even if the clock moved backwards. */
export function nextSeq(last: Seq, nowMs: number): Seq {
  return Math.max(last + 1, nowMs * SEQ_PER_MS);
}

/** The time a number stands for, in ms since 1970. */
export function seqTime(seq: Seq): number {
  return Math.floor(seq / SEQ_PER_MS);
}

/** The part that all ids of one mailbox share: 46 bits of the digest of its locator. */
export function idTail(locator: string): bigint {
  return BigInt(`0x${sha256Hex(`id:${locator}`).slice(0, 12)}`) >> 2n;
}

/** The public id (UUIDv7) of message `seq`, or of its attachment `part` (from 0). */
export function idOf(seq: Seq, tail: bigint, part: number | null = null): string {
  const counter = hex16(0x7000 | (seq % SEQ_PER_MS));
  const ending = part === null ? wholeEnding(tail) : endingOf(tail, part + 1);
  return `${timeGroups(seqTime(seq))}-${counter}-${ending}`;
}

/** The first two groups of an id: 48 bits of milliseconds. */
function timeGroups(ms: number): string {
  return `${hex16(ms / 2 ** 32)}${hex16(ms / 2 ** 16)}-${hex16(ms)}`;
}

/** The last two groups of an id. */
function endingOf(tail: bigint, partBits: number): string {
  const rest = ((0b10n << 62n) | (tail << PART_BITS) | BigInt(partBits)).toString(16);
  return `${rest.slice(0, 4)}-${rest.slice(4)}`;
}

/** The ending that was asked for last: all ids of one page share it. */
let lastWhole = { tail: -1n, ending: "" };

function wholeEnding(tail: bigint): string {
  if (lastWhole.tail !== tail) lastWhole = { tail, ending: endingOf(tail, WHOLE_MESSAGE) };
  return lastWhole.ending;
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/;

/** Reads a public id of this mailbox; null for anything else, including ids of other mailboxes. */
export function readId(id: string, tail: bigint): { seq: Seq; part: number | null } | null {
  const match = UUID_V7.exec(id.toLowerCase());
  if (!match) return null;
  const [, high = "", low = "", counter = "", variant = "", node = ""] = match;
  const part = readEnding(`${variant}-${node}`, tail);
  if (part === null || parseInt(counter, 16) >= SEQ_PER_MS) return null;
  const seq = parseInt(high + low, 16) * SEQ_PER_MS + parseInt(counter, 16);
  if (!Number.isSafeInteger(seq)) return null;
  return { seq, part: part === WHOLE_MESSAGE ? null : part - 1 };
}

/** Reads the part from the last two groups of an id; null if they belong to another mailbox. */
function readEnding(ending: string, tail: bigint): number | null {
  if (ending === wholeEnding(tail)) return WHOLE_MESSAGE;
  const rest = BigInt(`0x${ending.replace("-", "")}`) & ((1n << 62n) - 1n);
  return rest >> PART_BITS === tail ? Number(rest & ((1n << PART_BITS) - 1n)) : null;
}

/** A random UUIDv7 (RFC 9562 §5.7) for what has no place in the order of a mailbox: keys, requests, blobs. */
export function uuidV7(nowMs: number): string {
  // Random bits and variant come from a version 4 UUID, which the runtime makes fastest.
  return `${timeGroups(nowMs)}-7${crypto.randomUUID().slice(15)}`;
}
