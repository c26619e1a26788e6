import { GrowingBytes } from "./growing-bytes.ts";

/** The bounds of a JSON text. */
export interface JsonBounds {
  /** Nested objects and arrays. */
  depth: number;
  /** Members of one object, or items of one array. */
  entries: number;
  /** Members and items of the whole text. */
  values: number;
  /** Bytes kept in memory: all except the strings that are taken out. */
  heldBytes: number;
}

/** A text exceeds a bound; the message completes "The JSON text …". */
export class JsonBoundError extends Error {
  readonly bound: keyof JsonBounds;

  constructor(bound: keyof JsonBounds, rule: string) {
    super(rule);
    this.bound = bound;
  }
}

/** The path of the strings to take out: member names, and null for any item of an array. */
export type JsonPath = readonly (string | null)[];

interface Container {
  isObject: boolean;
  /** In an object: the name of the member whose value follows; null while a name is expected. */
  name: string | null;
  /** Entries that were read. */
  index: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The longest literal that can spell a name of a path, in bytes: six for each escaped letter (RFC 8259 §7). */
const MAX_NAME_BYTES = 512;

/**
 * Follows the structure of a JSON text while its bytes arrive, so that the bounds hold before the text is parsed. It also
 * takes strings at one path out: it stops at each, and its caller puts another string in that place. `JSON.parse` parses what
 * is kept in the end, and it alone judges whether the text is JSON; replacing one string by another does not change that.
 */
export class JsonScanner {
  readonly #bounds: JsonBounds;
  readonly #takenOut: JsonPath | null;
  readonly #held = new GrowingBytes();
  readonly #open: Container[] = [];
  #values = 0;
  /** Inside a string. If the string is a name, `nameFrom` is where it began among the kept bytes. */
  #inString = false;
  #isEscaped = false;
  #nameFrom: number | null = null;

  constructor(bounds: JsonBounds, takenOut: JsonPath | null = null) {
    this.#bounds = bounds;
    this.#takenOut = takenOut;
  }

  /**
   * Reads bytes from `from` on. Returns where it stopped: at the end of `bytes`, or right behind the opening quote of a
   * string to take out (`isAtString`). Throws JsonBoundError.
   */
  scan(bytes: Uint8Array, from: number): number {
    this.isAtString = false;
    let at = from;
    while (at < bytes.byteLength) {
      if (this.#inString) {
        const end = this.#stringEnd(bytes, at);
        this.#hold(bytes.subarray(at, end));
        at = end;
        if (!this.#inString) this.#endName();
        continue;
      }
      const start = at;
      while (at < bytes.byteLength && bytes[at] !== QUOTE) this.#structure(bytes[at++] ?? 0);
      this.#hold(bytes.subarray(start, at));
      if (at === bytes.byteLength) break;
      at += 1;
      if (this.#isTakenOut()) {
        this.isAtString = true;
        return at;
      }
      this.#nameFrom = this.#expectsName() ? this.#held.length : null;
      this.#inString = true;
      this.#hold(QUOTE_BYTES);
    }
    return at;
  }

  /** Whether it stopped at a string to take out. */
  isAtString = false;

  /** The path of that string, such as `attachments.0.content`. */
  get place(): string {
    return this.#open.map(({ isObject, name, index }) => (isObject ? name : index)).join(".");
  }

  /** Puts a string in the place of the one that was taken out. */
  replace(text: string): void {
    this.#hold(new TextEncoder().encode(JSON.stringify(text)));
  }

  /** The bytes that were kept. */
  held(): Uint8Array<ArrayBuffer> {
    return this.#held.from(0);
  }

  #hold(bytes: Uint8Array): void {
    const { heldBytes } = this.#bounds;
    if (this.#held.length + bytes.byteLength > heldBytes) {
      throw new JsonBoundError("heldBytes", `must be at most ${heldBytes} bytes`);
    }
    this.#held.add(bytes);
  }

  /** The index where a string ends: behind its closing quote, or at the end of `bytes`. */
  #stringEnd(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.byteLength; at += 1) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (bytes[at] === BACKSLASH) this.#isEscaped = true;
      else if (bytes[at] === QUOTE) {
        this.#inString = false;
        return at + 1;
      }
    }
    return bytes.byteLength;
  }

  #structure(byte: number): void {
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (this.#open.length === this.#bounds.depth) {
          throw new JsonBoundError("depth", `must be nested at most ${this.#bounds.depth} deep`);
        }
        this.#open.push({ isObject: byte === OPEN_OBJECT, name: null, index: 0 });
        this.#count();
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#open.pop();
        break;
      case COMMA:
        this.#count();
        this.#nextEntry();
        break;
    }
  }

  #nextEntry(): void {
    const container = this.#open.at(-1);
    if (container === undefined) return;
    container.name = null;
    container.index += 1;
    if (container.index < this.#bounds.entries) return;
    const rule = `must have at most ${this.#bounds.entries} members or items in one place`;
    throw new JsonBoundError("entries", rule);
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > this.#bounds.values) {
      throw new JsonBoundError("values", `must have at most ${this.#bounds.values} members and items`);
    }
  }

  #expectsName(): boolean {
    const container = this.#open.at(-1);
    return container?.isObject === true && container.name === null;
  }

  #endName(): void {
    const container = this.#open.at(-1);
    if (this.#nameFrom === null || container === undefined) return;
    const literal = this.#held.from(this.#nameFrom);
    this.#nameFrom = null;
    container.name = literal.byteLength > MAX_NAME_BYTES ? "" : nameOf(literal);
  }

  #isTakenOut(): boolean {
    const path = this.#takenOut;
    if (path === null || path.length !== this.#open.length || this.#expectsName()) return false;
    return this.#open.every(({ isObject, name }, depth) =>
      isObject ? name === path[depth] : path[depth] === null,
    );
  }
}

const QUOTE_BYTES = new Uint8Array([QUOTE]);

/** The name that a literal spells, with its escapes resolved; "" for a malformed literal, which the parser refuses later. */
function nameOf(literal: Uint8Array): string {
  try {
    const name: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(literal),
    );
    return typeof name === "string" ? name : "";
  } catch {
    return "";
  }
}
