import { lazy } from "../mail/lazy.ts";

/** Bytes of a line: RFC 2045 §6.8 allows 76 characters, of which four encode three bytes. */
const LINE_BYTES = 57;
const LINE_CHARS = 76;
const LINE_END_BYTES = 2;
/** Bytes encoded in one turn, a few tenths of a millisecond: a caller that pauses between pieces delays nobody. */
const PIECE_BYTES = 512 * LINE_BYTES;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Two characters as one number, in the byte order of this machine. */
const pairOf = (two: string): number =>
  new Uint16Array(new Uint8Array(Buffer.from(two, "latin1")).buffer)[0] ?? 0;
/** The two characters for each value of 12 bits. */
const pairsOfBits = lazy(() =>
  Uint16Array.from({ length: 4_096 }, (_, bits) =>
    pairOf(ALPHABET.charAt(bits >> 6) + ALPHABET.charAt(bits & 63)),
  ),
);
const LINE_END = pairOf("\r\n");

/** Bytes of the output of {@link base64Lines} for an input of `bytes`. */
export function base64LinesBytes(bytes: number): number {
  const chars = Math.ceil(bytes / 3) * 4;
  return chars + LINE_END_BYTES * Math.max(0, Math.ceil(chars / LINE_CHARS) - 1);
}

/**
 * Encodes bytes as lines of base64, with CRLF between the lines and not after the last. The output does not depend on the
 * size of the pieces. Encoding is nearly all the work of sending a file, so it writes two characters at a time and builds
 * no strings.
 */
export async function* base64Lines(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  let skipped = LINE_END_BYTES;
  for await (const bytes of content) {
    for (let at = 0; at < bytes.byteLength;) {
      const part = bytes.subarray(at, at + PIECE_BYTES - filled);
      piece.set(part, filled);
      at += part.byteLength;
      filled += part.byteLength;
      if (filled < PIECE_BYTES) continue;
      yield linesOf(piece).subarray(skipped);
      filled = 0;
      skipped = 0;
    }
  }
  if (filled > 0) yield linesOf(piece.subarray(0, filled)).subarray(skipped);
}

/** Lines of base64, each after a line end. */
function linesOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const rest = bytes.byteLength % 3;
  const whole = bytes.byteLength - rest;
  const pairs = new Uint16Array(
    Math.ceil(bytes.byteLength / LINE_BYTES) + 2 * Math.ceil(bytes.byteLength / 3),
  );
  const of = pairsOfBits();
  let to = 0;
  for (let from = 0; from < whole; from += 3) {
    if (from % LINE_BYTES === 0) pairs[to++] = LINE_END;
    const bits = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    pairs[to++] = of[bits >> 12] ?? 0;
    pairs[to++] = of[bits & 4_095] ?? 0;
  }
  if (rest > 0) {
    if (whole % LINE_BYTES === 0) pairs[to++] = LINE_END;
    const padded = Buffer.from(bytes.subarray(whole)).toString("base64");
    pairs[to++] = pairOf(padded.slice(0, 2));
    pairs[to++] = pairOf(padded.slice(2));
  }
  return new Uint8Array(pairs.buffer);
}
