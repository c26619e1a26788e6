const LF = 0x0a;
const CR = 0x0d;
const EQUALS = 0x3d;
/** In the base64 table: not of the alphabet. */
const SKIP = 0xff;

const BASE64 = new Uint8Array(256).fill(SKIP);
for (const [value, character] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
).entries()) {
  BASE64[character.charCodeAt(0)] = value;
}

/** Bytes of a base64 body; characters outside the alphabet are skipped (RFC 2045 §6.8), padding ends a unit and may recur. */
export function decodeBase64(encoded: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(Math.ceil((encoded.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let pending = 0;
  for (const byte of encoded) {
    const value = BASE64[byte] ?? SKIP;
    if (value === SKIP) {
      if (byte === EQUALS) bits = 0;
      continue;
    }
    pending = ((pending << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    decoded[length++] = pending >> bits;
  }
  return decoded.subarray(0, length);
}

/** Bytes of a quoted-printable body (RFC 2045 §6.7); what is no valid escape stays as it is. */
export function decodeQuotedPrintable(encoded: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(encoded.length);
  let length = 0;
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at] ?? 0;
    if (byte !== EQUALS) {
      decoded[length++] = byte;
      continue;
    }
    const escaped = hexDigit(encoded[at + 1]) * 16 + hexDigit(encoded[at + 2]);
    const lineEnd = Number.isNaN(escaped) ? softBreakEnd(encoded, at + 1) : null;
    if (lineEnd !== null) {
      at = lineEnd - 1;
    } else if (Number.isNaN(escaped)) {
      decoded[length++] = byte;
    } else {
      decoded[length++] = escaped;
      at += 2;
    }
  }
  return decoded.subarray(0, length);
}

/** NaN for anything else. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}

/** Where the line after a soft break starts; null if there is more than blanks before the line end. */
function softBreakEnd(encoded: Uint8Array, from: number): number | null {
  let at = from;
  while (encoded[at] === 0x20 || encoded[at] === 0x09) at++;
  if (at === encoded.length) return at;
  if (encoded[at] === CR && encoded[at + 1] === LF) return at + 2;
  return encoded[at] === LF ? at + 1 : null;
}

/**
 * Stands in for postal-mime's decoders, which keep every line and pad unit as a chunk of a Blob: 10 s for 25 MiB of
 * text, 68 s and 9 GB for `A=A=…`. All lines of a part are views of one buffer, so their range is the body, byte for byte.
 */
export class BodyRange {
  readonly #encoding: string;
  #buffer: ArrayBufferLike | null = null;
  #start = 0;
  #end = 0;

  constructor(encoding: string) {
    this.#encoding = encoding;
  }

  update(line: Uint8Array): void {
    if (this.#buffer === null) {
      this.#buffer = line.buffer;
      this.#start = line.byteOffset;
    }
    this.#end = line.byteOffset + line.byteLength;
  }

  finalize(): Promise<Uint8Array> {
    const body = new Uint8Array(this.#buffer ?? new ArrayBuffer(0), this.#start, this.#end - this.#start);
    if (this.#encoding.includes("base64")) return Promise.resolve(decodeBase64(body));
    if (this.#encoding.includes("quoted-printable")) return Promise.resolve(decodeQuotedPrintable(body));
    return Promise.resolve(body);
  }
}
