/** Why a string is no base64 within JSON: as JSON, or as base64. */
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
/** Below it no character stands bare in a JSON string (RFC 8259 §7). */
const FIRST_BARE = 0x20;
const ESCAPES: Readonly<Record<string, number>> = {
  '"': QUOTE,
  "\\": BACKSLASH,
  "/": 0x2f,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
};

const NONE = 255;
const BLANK = 254;
/** What each ASCII character is worth in base64 (RFC 4648 §4). */
const WORTH = new Uint8Array(128).fill(NONE);
for (const [index, digit] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
  WORTH[digit.charCodeAt(0)] = index;
}
for (const blank of " \t\n\v\f\r") WORTH[blank.charCodeAt(0)] = BLANK;

/** Bytes that so many of a literal decode to at most, with what was read before of a group. */
export function mostDecoded(literalBytes: number): number {
  return literalBytes + 3;
}

/**
 * Decodes base64 out of the literal of a JSON string as its bytes come, from behind its opening quote on. What it lets pass
 * is what `base64Bytes` does: blanks anywhere, and padding that is left out.
 */
export class Base64Literal {
  /** Whether the closing quote was read. */
  isOver = false;
  /** What was read of an escape. */
  #escape = "";
  /** Digits that make no whole group yet, six bits each. */
  #bits = 0;
  #digits = 0;
  #padding = 0;
  #isClosed = false;

  /**
   * Reads `bytes` from `from` on, to the closing quote or their end; `at` is where it stopped. `decoded` lies in `room`, which
   * must hold `mostDecoded` bytes. Throws LiteralError.
   */
  read(bytes: Uint8Array, from: number, room: Uint8Array): { at: number; decoded: Uint8Array } {
    let at = from;
    let filled = 0;
    while (at < bytes.byteLength && !this.isOver) {
      const character = this.#character(bytes[at] ?? 0);
      at += 1;
      if (character !== null) filled = this.#take(character, room, filled);
    }
    if (this.isOver) filled = this.#finish(room, filled);
    return { at, decoded: room.subarray(0, filled) };
  }

  /** The character that is whole with `byte`; null for none. */
  #character(byte: number): number | null {
    if (this.#escape !== "") return this.#escaped(String.fromCharCode(byte));
    if (byte === QUOTE) this.isOver = true;
    else if (byte === BACKSLASH) this.#escape = "\\";
    else if (byte < FIRST_BARE) throw new LiteralError("json");
    else return byte;
    return null;
  }

  #escaped(character: string): number | null {
    this.#escape += character;
    if (this.#escape === "\\u") return null;
    if (this.#escape.startsWith("\\u")) {
      if (!/[0-9a-f]/i.test(character)) throw new LiteralError("json");
      if (this.#escape.length < 6) return null;
    }
    const code = this.#escape.length === 6 ? parseInt(this.#escape.slice(2), 16) : ESCAPES[character];
    if (code === undefined) throw new LiteralError("json");
    this.#escape = "";
    return code;
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

  /** The last group, which may be short. */
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
