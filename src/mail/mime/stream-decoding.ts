import { MAX_SOFT_BREAK_BLANKS } from "./transfer-decoding.ts";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

/** Decodes a body that comes in pieces, cut anywhere. */
export interface StreamDecoder {
  /** Decodes the next piece to the beginning of `target`, which has room for `room(bytes)`; returns how many bytes it wrote. */
  decode(bytes: Uint8Array, target: Uint8Array): number;
  /** As `decode`, for bytes that nobody reads: what it writes is of no use, then and later. Only their number is right. */
  count(bytes: Uint8Array, target: Uint8Array): number;
  /** Decodes what is held back where the body ends. */
  end(target: Uint8Array): number;
  /** The most bytes that a piece of this length decodes to. */
  room(bytes: number): number;
}

/** An encoding that changes the bytes of a body; "" for none. */
export type TransferEncoding = "base64" | "quoted-printable" | "";

/** The encoding that the first token of Content-Transfer-Encoding names. */
export function transferEncoding(token: string): TransferEncoding {
  if (token.includes("base64")) return "base64";
  return token.includes("quoted-printable") ? "quoted-printable" : "";
}

/** A decoder for the first token of Content-Transfer-Encoding; null where bodies are as they are sent. */
export function streamDecoder(token: string): StreamDecoder | null {
  const encoding = transferEncoding(token);
  if (encoding === "base64") return new Base64Stream();
  return encoding === "quoted-printable" ? new QuotedPrintableStream() : null;
}

/** For each place of a unit of four: the bits of a character in a number of 24; negative for other characters. */
const UNITS = [18, 12, 6, 0].map((shift) => {
  const bits = new Int32Array(256).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (let value = 0; value < alphabet.length; value++) bits[alphabet.charCodeAt(value)] = value << shift;
  return bits;
});
const [FIRST = new Int32Array(), SECOND = FIRST, THIRD = FIRST, FOURTH = FIRST] = UNITS;

/** Bytes that are counted at a time: the sum of their values in COUNTED fits 31 bits. */
const COUNTED_BYTES = 4_096;
/** In COUNTED: a character that begins a unit anew. */
const PADDING = 0x10000;
/** 1 for characters of the alphabet, so that the sum of some characters is their number. */
const COUNTED = Int32Array.from(FOURTH, (value) => (value < 0 ? 0 : 1));
COUNTED[EQUALS] = PADDING;

/** The number of characters of the alphabet; PADDING or more if padding is among them. */
function countedIn(bytes: Uint8Array): number {
  const last = bytes.length - 4;
  let sum = 0;
  let at = 0;
  // Four at a time: with one, the loop takes as long as decoding.
  for (; at <= last; at += 4) {
    sum += countOf(bytes[at]) + countOf(bytes[at + 1]) + countOf(bytes[at + 2]) + countOf(bytes[at + 3]);
  }
  for (; at < bytes.length; at++) sum += countOf(bytes[at]);
  return sum;
}

const countOf = (byte = 0): number => COUNTED[byte] ?? 0;

/** base64: characters outside the alphabet are skipped (RFC 2045 §6.8), padding ends a unit and may recur. */
class Base64Stream implements StreamDecoder {
  #bits = 0;
  #pending = 0;

  decode(bytes: Uint8Array, target: Uint8Array): number {
    let bits = this.#bits;
    let pending = this.#pending;
    let length = 0;
    for (let at = 0; at < bytes.length;) {
      if (bits === 0) {
        const units = decodeUnits(bytes, at, target, length);
        at += 4 * units;
        length += 3 * units;
        if (at === bytes.length) break;
      }
      const byte = bytes[at++] ?? 0;
      const value = FOURTH[byte] ?? -1;
      if (value < 0) {
        if (byte === EQUALS) bits = 0;
        continue;
      }
      pending = ((pending << 6) | value) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      target[length++] = pending >> bits;
    }
    this.#bits = bits;
    this.#pending = pending;
    return length;
  }

  count(bytes: Uint8Array, target: Uint8Array): number {
    let length = 0;
    for (let at = 0; at < bytes.length; at += COUNTED_BYTES) {
      const piece = bytes.subarray(at, at + COUNTED_BYTES);
      const characters = countedIn(piece);
      if (characters >= PADDING) {
        length += this.decode(piece, target);
        continue;
      }
      const bits = this.#bits + 6 * characters;
      length += bits >> 3;
      this.#bits = bits & 7;
    }
    return length;
  }

  end(): number {
    return 0;
  }

  room(bytes: number): number {
    return bytes;
  }
}

/** Decodes whole units from `at` on, until a character is none of the alphabet; returns how many. */
function decodeUnits(bytes: Uint8Array, at: number, target: Uint8Array, length: number): number {
  const last = bytes.length - 4;
  let from = at;
  for (let to = length; from <= last; from += 4, to += 3) {
    const unit = unitAt(bytes, from);
    if (unit < 0) break;
    target[to] = unit >> 16;
    target[to + 1] = unit >> 8;
    target[to + 2] = unit;
  }
  return (from - at) / 4;
}

/** Four characters as a number of 24 bits; negative if one of them is none of the alphabet. */
function unitAt(bytes: Uint8Array, at: number): number {
  const first = FIRST[bytes[at] ?? 0] ?? -1;
  const second = SECOND[bytes[at + 1] ?? 0] ?? -1;
  const third = THIRD[bytes[at + 2] ?? 0] ?? -1;
  return first | second | third | (FOURTH[bytes[at + 3] ?? 0] ?? -1);
}

/** How far an escape was read. */
type Escape = "none" | "equals" | "digit" | "blanks" | "return";

/** quoted-printable (RFC 2045 §6.7); what is no valid escape stays as it is. */
class QuotedPrintableStream implements StreamDecoder {
  /** The bytes of an escape that is not complete: `=`, a digit or blanks, and a CR. */
  readonly #held = new Uint8Array(MAX_SOFT_BREAK_BLANKS + 2);
  #heldBytes = 0;
  #state: Escape = "none";

  decode(bytes: Uint8Array, target: Uint8Array): number {
    let length = 0;
    for (let at = 0; at < bytes.length;) {
      if (this.#state === "none") {
        const found = bytes.indexOf(EQUALS, at);
        const end = found === -1 ? bytes.length : found;
        target.set(bytes.subarray(at, end), length);
        length += end - at;
        if (found === -1) break;
        this.#hold(EQUALS, "equals");
        at = end + 1;
        continue;
      }
      const byte = bytes[at] ?? 0;
      const next = this.#next(byte);
      if (next === "literal") {
        length += this.#release(target, length);
        continue;
      }
      at++;
      if (next === "break") this.#drop();
      else if (next === "byte") target[length++] = this.#decoded(byte);
      else this.#hold(byte, next);
    }
    return length;
  }

  count(bytes: Uint8Array, target: Uint8Array): number {
    return this.decode(bytes, target);
  }

  end(target: Uint8Array): number {
    // A soft break at the end of the body has no line end.
    if (this.#state === "equals" || this.#state === "blanks") this.#drop();
    return this.#release(target, 0);
  }

  room(bytes: number): number {
    return bytes + this.#held.length;
  }

  /** The escape with the next byte; `literal` if it is no escape, and the byte is to be read again. */
  #next(byte: number): "literal" | "break" | "byte" | Exclude<Escape, "none"> {
    if (this.#state === "digit") return isHexDigit(byte) ? "byte" : "literal";
    if (byte === LF) return "break";
    if (this.#state === "return") return "literal";
    if (byte === CR) return "return";
    if (byte === SPACE || byte === TAB) return this.#heldBytes > MAX_SOFT_BREAK_BLANKS ? "literal" : "blanks";
    return this.#state === "equals" && isHexDigit(byte) ? "digit" : "literal";
  }

  #hold(byte: number, state: Escape): void {
    this.#held[this.#heldBytes++] = byte;
    this.#state = state;
  }

  #drop(): void {
    this.#heldBytes = 0;
    this.#state = "none";
  }

  #release(target: Uint8Array, at: number): number {
    const bytes = this.#heldBytes;
    target.set(this.#held.subarray(0, bytes), at);
    this.#drop();
    return bytes;
  }

  #decoded(low: number): number {
    const high = this.#held[1] ?? 0;
    this.#drop();
    return hexValue(high) * 16 + hexValue(low);
  }
}

function isHexDigit(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

function hexValue(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}
