// SHA-256 (FIPS 180-4) of short texts, in JavaScript: the runtime's own makes an object for each digest, which takes ten times as
// long as the digest of a few dozen bytes.

/** Bytes of a block. */
const BLOCK = 64;
const ROUNDS = 64;

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes (§4.2.2 and §5.3.3). */
const { initial, constants } = rootsOfPrimes();

function rootsOfPrimes(): { initial: Int32Array; constants: Int32Array } {
  const primes: number[] = [];
  for (let number = 2; primes.length < ROUNDS; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return {
    initial: Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    constants: Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}

// Used again for each digest: a fresh state would make three objects.
const state = new Int32Array(8);
const words = new Int32Array(ROUNDS);

/**
 * The digest of the first `length` bytes of `bytes` as eight words. It writes the padding behind them, for which the array needs
 * 72 bytes more. The words are overwritten by the next digest.
 */
export function sha256Words(bytes: Uint8Array, length: number): Int32Array {
  const end = Math.ceil((length + 9) / BLOCK) * BLOCK;
  bytes.fill(0, length, end);
  bytes[length] = 0x80;
  const bits = length * 8;
  for (let at = 1; at <= 4; at += 1) bytes[end - at] = bits >>> (8 * (at - 1));
  state.set(initial);
  for (let at = 0; at < end; at += BLOCK) addBlock(bytes, at);
  return state;
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function addBlock(bytes: Uint8Array, begin: number): void {
  schedule(bytes, begin);
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + sum1 + chosen + (constants[round] ?? 0) + (words[round] ?? 0)) | 0;
    const sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  add(0, a);
  add(1, b);
  add(2, c);
  add(3, d);
  add(4, e);
  add(5, f);
  add(6, g);
  add(7, h);
}

function add(at: number, word: number): void {
  state[at] = (state[at] ?? 0) + word;
}

/** The 64 words of a block (§6.2.2, step 1). */
function schedule(bytes: Uint8Array, begin: number): void {
  const byteAt = (at: number): number => bytes[begin + at] ?? 0;
  for (let at = 0; at < 16; at += 1) {
    const first = at * 4;
    words[at] =
      (byteAt(first) << 24) | (byteAt(first + 1) << 16) | (byteAt(first + 2) << 8) | byteAt(first + 3);
  }
  for (let at = 16; at < ROUNDS; at += 1) {
    const two = words[at - 2] ?? 0;
    const fifteen = words[at - 15] ?? 0;
    const sigma1 = rotated(two, 17) ^ rotated(two, 19) ^ (two >>> 10);
    const sigma0 = rotated(fifteen, 7) ^ rotated(fifteen, 18) ^ (fifteen >>> 3);
    words[at] = (sigma1 + (words[at - 7] ?? 0) + sigma0 + (words[at - 16] ?? 0)) | 0;
  }
}
