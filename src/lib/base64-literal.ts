/** The fault of a string that should be base64 within JSON: its JSON escapes, or its base64. */
export class LiteralError extends Error {
  readonly kind: "json" | "base64";

  constructor(kind: "json" | "base64") {
    super(`A string is no ${kind}`);
    this.kind = kind;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PADDING = 0x3d;
/** Characters below this must be escaped in a JSON string (RFC 8259 §7). */
const FIRST_BARE = 0x20;
const LETTER_U = 0x75;
/** The character that an escape such as `\\n` stands for, by its letter. */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, meant]) => [letter.charCodeAt(0), meant.charCodeAt(0)],
  ),
);
const HEX_DIGITS = 4;

const NONE = 255;
const BLANK = 254;
/** The six-bit value of each base64 digit, by its byte (RFC 4648 §4). */
const WORTH = new Uint8Array(256).fill(NONE);
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
for (let worth = 0; worth < DIGITS.length; worth += 1) WORTH[DIGITS.charCodeAt(worth)] = worth;
for (const blank of " \t\n\v\f\r") WORTH[blank.charCodeAt(0)] = BLANK;

/** Decodes groups of four unescaped digits, which most literals consist of, and returns the number of groups. */
function wholeGroups(bytes: Uint8Array, from: number, room: Uint8Array, filledFrom: number): number {
  let at = from;
  for (let filled = filledFrom; at + 4 <= bytes.byteLength; at += 4, filled += 3) {
    const first = WORTH[bytes[at] ?? 0] ?? NONE;
    const second = WORTH[bytes[at + 1] ?? 0] ?? NONE;
    const third = WORTH[bytes[at + 2] ?? 0] ?? NONE;
    const fourth = WORTH[bytes[at + 3] ?? 0] ?? NONE;
    if ((first | second | third | fourth) > 63) break;
    room[filled] = (first << 2) | (second >> 4);
    room[filled + 1] = (second << 4) | (third >> 2);
    room[filled + 2] = (third << 6) | fourth;
  }
  return (at - from) / 4;
}

/** The most bytes that this many bytes of a literal decode to, digits of an unfinished group included. */
export function mostDecoded(literalBytes: number): number {
  return literalBytes + 3;
}

/**
 * Decodes base64 out of a JSON string literal while its bytes arrive, from behind the opening quote. It accepts what
 * `base64Bytes` accepts: white space anywhere, and missing padding.
 */
export class Base64Literal {
  /** Whether the closing quote was read. */
  isOver = false;
  /** Bytes of the escape that has begun; null outside of one. A `u` is followed by four hex digits. */
  #escape: { hexDigits: number; code: number } | null = null;
  /** Digits of the unfinished group, six bits each. */
  #bits = 0;
  #digits = 0;
  #padding = 0;
  #isClosed = false;

  /**
   * Reads `bytes` from `from` to the closing quote or to their end; `at` is where it stopped. Writes the decoded bytes into
   * `room`, which must have `mostDecoded` bytes. Throws LiteralError.
   */
  read(bytes: Uint8Array, from: number, room: Uint8Array): { at: number; decoded: Uint8Array } {
    let at = from;
    let filled = 0;
    while (at < bytes.byteLength && !this.isOver) {
      if (this.#digits === 0 && this.#padding === 0 && this.#escape === null) {
        const groups = wholeGroups(bytes, at, room, filled);
        at += 4 * groups;
        filled += 3 * groups;
        if (at === bytes.byteLength) break;
      }
      const character = this.#character(bytes[at] ?? 0);
      at += 1;
      if (character !== null) filled = this.#take(character, room, filled);
    }
    if (this.isOver) filled = this.#finish(room, filled);
    return { at, decoded: room.subarray(0, filled) };
  }

  /** The character that `byte` completes; null while an escape is unfinished. */
  #character(byte: number): number | null {
    if (this.#escape !== null) return this.#escaped(this.#escape, byte);
    if (byte === QUOTE) this.isOver = true;
    else if (byte === BACKSLASH) this.#escape = { hexDigits: 0, code: 0 };
    else if (byte < FIRST_BARE) throw new LiteralError("json");
    else return byte;
    return null;
  }

  #escaped(escape: { hexDigits: number; code: number }, byte: number): number | null {
    if (escape.hexDigits === 0 && byte === LETTER_U) {
      escape.hexDigits = HEX_DIGITS;
      return null;
    }
    if (escape.hexDigits > 0) {
      const digit = parseInt(String.fromCharCode(byte), 16);
      if (Number.isNaN(digit)) throw new LiteralError("json");
      escape.code = escape.code * 16 + digit;
      escape.hexDigits -= 1;
      if (escape.hexDigits > 0) return null;
    } else {
      const meant = ESCAPES.get(byte);
      if (meant === undefined) throw new LiteralError("json");
      escape.code = meant;
    }
    this.#escape = null;
    return escape.code;
  }

  #take(character: number, room: Uint8Array, filled: number): number {
    const worth = WORTH[character] ?? NONE;
    if (worth < 64) {
      if (this.#padding > 0) throw new LiteralError("base64");
      this.#bits = (this.#bits << 6) | worth;
      this.#digits += 1;
      if (this.#digits < 4) return filled;
      room[filled] = this.#bits >> 16;
      room[filled + 1] = this.#bits >> 8;
      room[filled + 2] = this.#bits;
      this.#bits = 0;
      this.#digits = 0;
      return filled + 3;
    }
    if (worth === BLANK) this.#isClosed = this.#padding > 0;
    else if (character !== PADDING || this.#isClosed || this.#padding === 2) throw new LiteralError("base64");
    else this.#padding += 1;
    return filled;
  }

  /** Decodes the last group, which may be short. */
  #finish(room: Uint8Array, filled: number): number {
    const isWhole =
      this.#padding === 0 ? this.#digits !== 1 : this.#digits + this.#padding === 4 && this.#digits > 1;
    if (!isWhole) throw new LiteralError("base64");
    if (this.#digits === 0) return filled;
    const bits = this.#bits << (6 * (4 - this.#digits));
    room[filled] = bits >> 16;
    if (this.#digits === 3) room[filled + 1] = bits >> 8;
    return filled + this.#digits - 1;
  }
}
