// SHA-256 (FIPS 180-4) of short ASCII texts: keys, addresses, ids. The runtime's own makes a stream object for each digest,
// which takes ten times as long as the digest of a few dozen bytes; for anything longer it is the faster one.

import { hex32 } from "./hex.ts";

const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;
const ROUNDS = 64;
/** What ends the last block: a one bit, and the length in bits as 64. */
const PADDING_BYTES = 9;

/** Characters of a text that is digested here: twelve blocks, about what the stream object costs. */
export const MAX_SHORT_CHARS = 12 * BLOCK_BYTES - PADDING_BYTES;

const PRIMES = firstPrimes(ROUNDS);
/** §4.2.2 and §5.3.3: the first 32 bits of the fractions of cube and square roots of the first primes. */
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

// Kept between digests: none is ever interrupted.
const schedule = new Int32Array(ROUNDS);
const state = new Int32Array(START.length);

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes;
}

function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

/** The digest of `text` in lower-case hex; null if it is not ASCII or longer than MAX_SHORT_CHARS. */
export function shortSha256Hex(text: string): string | null {
  if (text.length > MAX_SHORT_CHARS) return null;
  const blocks = Math.ceil((text.length + PADDING_BYTES) / BLOCK_BYTES);
  state.set(START);
  for (let block = 0; block < blocks; block += 1) {
    if (!loadBlock(text, block)) return null;
    if (block === blocks - 1) schedule[BLOCK_WORDS - 1] = text.length * 8;
    compress();
  }
  let hex = "";
  for (let index = 0; index < state.length; index += 1) hex += hex32(at(state, index));
  return hex;
}

/** Puts the bytes of a block, and of the padding as far as it reaches, into the schedule; false at one that is not ASCII. */
function loadBlock(text: string, block: number): boolean {
  let seen = 0;
  for (let word = 0; word < BLOCK_WORDS; word += 1) {
    let value = 0;
    for (let byte = 0; byte < 4; byte += 1) {
      const at = block * BLOCK_BYTES + word * 4 + byte;
      const code = at < text.length ? text.charCodeAt(at) : 0;
      seen |= code;
      value = (value << 8) | (at === text.length ? 0x80 : code);
    }
    schedule[word] = value;
  }
  return seen < 0x80;
}

/** §6.2.2: one block of the schedule into the state. */
function compress(): void {
  const w = schedule;
  for (let t = BLOCK_WORDS; t < ROUNDS; t += 1) {
    const w2 = at(w, t - 2);
    const w15 = at(w, t - 15);
    const s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >>> 10);
    const s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >>> 3);
    w[t] = (s1 + at(w, t - 7) + s0 + at(w, t - 16)) | 0;
  }
  let [a, b, c, d] = [at(state, 0), at(state, 1), at(state, 2), at(state, 3)];
  let [e, f, g, h] = [at(state, 4), at(state, 5), at(state, 6), at(state, 7)];
  for (let t = 0; t < ROUNDS; t += 1) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(CONSTANTS, t) + at(w, t)) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const worked = [a, b, c, d, e, f, g, h];
  for (let index = 0; index < state.length; index += 1) {
    state[index] = at(state, index) + (worked[index] ?? 0);
  }
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
