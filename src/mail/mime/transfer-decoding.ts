const LF = 0x0a;
const CR = 0x0d;
const EQUALS = 0x3d;
/** Blanks of a soft line break: RFC 2045 §6.7 lets a line have 76 characters, RFC 5321 §4.5.3.1.6 lets it have 998. */
export const MAX_SOFT_BREAK_BLANKS = 998;
/** In the base64 table: a character outside the alphabet. */
const SKIP = 0xff;

const BASE64 = new Uint8Array(256).fill(SKIP);
for (const [value, character] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
).entries()) {
  BASE64[character.charCodeAt(0)] = value;
}

/** Decodes on from where it stopped, until `target` is full or the input ends; returns the number of bytes written. */
type Decode = (target: Uint8Array) => number;

/** base64: characters outside the alphabet are skipped (RFC 2045 §6.8), padding ends a unit and may recur. */
function base64Decoder(encoded: Uint8Array): Decode {
  const kept = { at: 0, bits: 0, pending: 0 };
  return (target) => {
    // Local variables: those of the closure make the loop half as fast.
    let { at, bits, pending } = kept;
    let length = 0;
    for (; at < encoded.length && length < target.length; at++) {
      const byte = encoded[at] ?? 0;
      const value = BASE64[byte] ?? SKIP;
      if (value === SKIP) {
        if (byte === EQUALS) bits = 0;
        continue;
      }
      pending = ((pending << 6) | value) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      target[length++] = pending >> bits;
    }
    Object.assign(kept, { at, bits, pending });
    return length;
  };
}

/** quoted-printable (RFC 2045 §6.7); what is no valid escape stays as it is. */
function quotedPrintableDecoder(encoded: Uint8Array): Decode {
  let reached = 0;
  return (target) => {
    let at = reached;
    let length = 0;
    for (; at < encoded.length && length < target.length; at++) {
      const byte = encoded[at] ?? 0;
      if (byte !== EQUALS) {
        target[length++] = byte;
        continue;
      }
      const escaped = hexDigit(encoded[at + 1]) * 16 + hexDigit(encoded[at + 2]);
      const lineEnd = Number.isNaN(escaped) ? softBreakEnd(encoded, at + 1) : null;
      if (lineEnd !== null) {
        at = lineEnd - 1;
      } else if (Number.isNaN(escaped)) {
        target[length++] = byte;
      } else {
        target[length++] = escaped;
        at += 2;
      }
    }
    reached = at;
    return length;
  };
}

/** NaN for anything else. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}

/** The start of the line after a soft break; null if anything but blanks stands before the line end. */
function softBreakEnd(encoded: Uint8Array, from: number): number | null {
  let at = from;
  while (encoded[at] === 0x20 || encoded[at] === 0x09) at++;
  if (at - from > MAX_SOFT_BREAK_BLANKS) return null;
  if (at === encoded.length) return at;
  if (encoded[at] === CR && encoded[at + 1] === LF) return at + 2;
  return encoded[at] === LF ? at + 1 : null;
}

/** Bytes in a piece of a decoded body. */
const PIECE_BYTES = 1_000_000;
/** Bytes decoded at a time to count them. */
const COUNTED_BYTES = 65_536;

/** The beginning of a decoded body. */
export interface BodyStart {
  bytes: Uint8Array;
  /** Whether that is all of it. */
  isWhole: boolean;
}

/**
 * The encoded body of a part, decoded only as far as it is read: the message itself stays its only copy in memory.
 */
export class EncodedBody {
  readonly #encoded: Uint8Array;
  readonly #decoder: ((encoded: Uint8Array) => Decode) | null;
  #byteLength: number | null = null;

  /** `encoding` is the first token of Content-Transfer-Encoding; the body is decoded for base64 and quoted-printable only. */
  constructor(encoded: Uint8Array, encoding: string) {
    this.#encoded = encoded;
    if (encoding.includes("base64")) this.#decoder = base64Decoder;
    else if (encoding.includes("quoted-printable")) this.#decoder = quotedPrintableDecoder;
    else this.#decoder = null;
  }

  /** Size of the decoded body, in bytes. */
  get byteLength(): number {
    this.#byteLength ??= this.#decoder === null ? this.#encoded.byteLength : this.#counted();
    return this.#byteLength;
  }

  /** The first `maxBytes` of the decoded body, and whether that is all of it. */
  start(maxBytes: number): BodyStart {
    if (this.#decoder === null) {
      return { bytes: this.#encoded.subarray(0, maxBytes), isWhole: this.#encoded.byteLength <= maxBytes };
    }
    // Decoding never makes a body longer; one byte more tells whether there is a rest.
    const target = new Uint8Array(Math.min(maxBytes + 1, this.#encoded.byteLength));
    const length = this.#decoder(this.#encoded)(target);
    return { bytes: target.subarray(0, Math.min(length, maxBytes)), isWhole: length <= maxBytes };
  }

  /** The decoded body in pieces; each is valid until the next is read. */
  *pieces(pieceBytes = PIECE_BYTES): Generator<Uint8Array, void> {
    if (this.#decoder === null) {
      yield this.#encoded;
      return;
    }
    const decode = this.#decoder(this.#encoded);
    const piece = new Uint8Array(Math.min(pieceBytes, this.#encoded.byteLength));
    for (let length = decode(piece); length > 0; length = decode(piece)) yield piece.subarray(0, length);
  }

  #counted(): number {
    let bytes = 0;
    for (const { byteLength } of this.pieces(COUNTED_BYTES)) bytes += byteLength;
    return bytes;
  }
}

/**
 * Stands in for postal-mime's decoders, which keep every line and pad unit as a chunk of a Blob: 10 s for 25 MiB of
 * text, 68 s and 9 GB for `A=A=…`. All lines of a part are views of one buffer, so their range is the body, byte for byte.
 * It stays encoded: the range of a multipart, which holds all of its parts, is never read.
 */
export class BodyRange {
  #buffer: ArrayBufferLike = new ArrayBuffer(0);
  #start: number | null = null;
  #end = 0;

  update(line: Uint8Array): void {
    if (this.#start === null) {
      this.#buffer = line.buffer;
      this.#start = line.byteOffset;
    }
    this.#end = line.byteOffset + line.byteLength;
  }

  finalize(): Promise<Uint8Array> {
    const start = this.#start ?? 0;
    return Promise.resolve(new Uint8Array(this.#buffer, start, this.#end - start));
  }
}
