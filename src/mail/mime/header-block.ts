import { latin1 } from "../../lib/latin1.ts";

/** Bytes of header fields kept in all; the raw message has the rest. Real messages stay below 64 KiB. */
export const MAX_HEADER_BYTES = 256 * 1024;
/** Bytes kept of one field: a list of 1,000 recipients fits, a megabyte of them does not. */
export const MAX_FIELD_BYTES = 64 * 1024;
/** Fields kept; a long mailing-list route has some hundred. */
export const MAX_FIELDS = 2_000;

/** Fields of which the first is always kept, no matter how much stands before it. */
const ESSENTIAL: ReadonlySet<string> = new Set(
  (
    "from sender reply-to to cc subject date message-id in-reply-to references auto-submitted return-path list-id " +
    "content-type content-transfer-encoding content-disposition mime-version"
  ).split(" "),
);

/** Its value is compared with a trusted name, so a NUL stays in it: without it, two halves could become that name. */
const COMPARED = "authentication-results";

const LONGEST_ESSENTIAL = "content-transfer-encoding".length;

/** One field of a header block. */
export interface HeaderField {
  /** Lower case. */
  name: string;
  /** Unfolded; UTF-8 or, where it is none, windows-1252; no line end, no NUL but in Authentication-Results. Encoded words stay encoded. */
  value: string;
}

/** The header of a message or of one part, within the limits. */
export interface HeaderBlock {
  fields: HeaderField[];
  /** Where the body starts; the length of the message if it has none. */
  bodyStart: number;
  /** Whether fields or parts of them were left out. */
  isCut: boolean;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
/** RFC 5322 §2.2 ftext. */
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
/** Longer names are not fields; the longest registered one has 45 characters. */
export const MAX_NAME_BYTES = 256;

/** Offset of the first byte that is not part of a leading empty line. */
export function skipEmptyLines(raw: Uint8Array): number {
  let at = 0;
  while (raw[at] === CR || raw[at] === LF) at++;
  return at;
}

/** Reads the header block at the start of `raw`, in time linear in its length. Lines that are no fields are passed over. */
export function readHeaderBlock(raw: Uint8Array): HeaderBlock {
  const block: HeaderBlock = { fields: [], bodyStart: raw.length, isCut: false };
  const keeper = new FieldKeeper(block);
  let fieldStart = 0;
  for (let at = 0; at < raw.length;) {
    const end = lineEnd(raw, at);
    const isFolded = at > fieldStart && (raw[at] === 0x20 || raw[at] === 0x09);
    if (!isFolded && at > fieldStart) {
      keeper.keep(raw.subarray(fieldStart, at));
      fieldStart = at;
    }
    if (isEmptyLine(raw, at, end)) {
      block.bodyStart = end;
      return block;
    }
    at = end;
  }
  keeper.keep(raw.subarray(fieldStart));
  return block;
}

/** Bytes held of the field that is being read: enough to see that it is over the limit. */
const MAX_HELD_BYTES = MAX_NAME_BYTES + MAX_FIELD_BYTES + 16;

/** Reads a header block that comes in pieces, cut anywhere, as `readHeaderBlock` reads it whole. */
export class HeaderReader {
  /** `bodyStart` is set when the header ends. */
  readonly block: HeaderBlock = { fields: [], bodyStart: 0, isCut: false };
  readonly #keeper = new FieldKeeper(this.block);
  readonly #field = new Uint8Array(MAX_HELD_BYTES);
  #fieldBytes = 0;
  #isAtLineStart = true;
  /** Whether the line so far holds nothing but carriage returns. */
  #isEmpty = true;

  /** Reads the next piece; returns where in it the body starts, or null if the header goes on. */
  read(piece: Uint8Array): number | null {
    for (let at = 0; at < piece.length;) {
      if (this.#isAtLineStart) this.#beginLine(piece[at]);
      const end = lineEnd(piece, at);
      const isEnded = piece[end - 1] === LF;
      this.#isEmpty = this.#isEmpty && isOnly(CR, piece, at, isEnded ? end - 1 : end);
      if (isEnded && this.#isEmpty) {
        this.block.bodyStart += end;
        return end;
      }
      this.#hold(piece.subarray(at, end));
      this.#isAtLineStart = isEnded;
      at = end;
    }
    this.block.bodyStart += piece.length;
    return null;
  }

  /** Takes the last field of a message without a body. */
  end(): void {
    this.#keeper.keep(this.#field.subarray(0, this.#fieldBytes));
  }

  #beginLine(first = 0): void {
    const isFolded = this.#fieldBytes > 0 && (first === 0x20 || first === 0x09);
    if (!isFolded) {
      this.#keeper.keep(this.#field.subarray(0, this.#fieldBytes));
      this.#fieldBytes = 0;
    }
    this.#isEmpty = true;
  }

  #hold(bytes: Uint8Array): void {
    const held = bytes.subarray(0, MAX_HELD_BYTES - this.#fieldBytes);
    this.#field.set(held, this.#fieldBytes);
    this.#fieldBytes += held.length;
  }
}

function isOnly(byte: number, bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== byte) return false;
  return true;
}

/** The offset behind the line that starts at `from`, its line feed included. A bare CR does not end a line (RFC 5322 §2.3). */
export function lineEnd(raw: Uint8Array, from: number): number {
  const at = raw.indexOf(LF, from);
  return at === -1 ? raw.length : at + 1;
}

/** Whether the line `[start, end)` holds nothing but its line end. */
export function isEmptyLine(raw: Uint8Array, start: number, end: number): boolean {
  let at = start;
  while (at < end && raw[at] === CR) at++;
  return at === end ? false : raw[at] === LF;
}

class FieldKeeper {
  readonly #block: HeaderBlock;
  readonly #seen = new Set<string>();
  #bytes = 0;

  constructor(block: HeaderBlock) {
    this.#block = block;
  }

  keep(line: Uint8Array): void {
    const colon = line.subarray(0, MAX_NAME_BYTES).indexOf(COLON);
    if (colon <= 0 || (this.#block.isCut && this.#isNeedless(line, colon))) return;
    // RFC 5322 §4.5 lets blanks stand before the colon.
    const name = latin1(line.subarray(0, colon)).replace(/[ \t]+$/, "");
    if (!FIELD_NAME.test(name)) return;
    this.#keepField(name.toLowerCase(), line.subarray(colon + 1));
  }

  /** Whether a field after the limits is none of the essential ones: a header of 25 MB has millions of them. */
  #isNeedless(line: Uint8Array, colon: number): boolean {
    if (this.#block.fields.length < MAX_FIELDS) return false;
    const name = latin1(line.subarray(0, Math.min(colon, LONGEST_ESSENTIAL + 1)));
    return !ESSENTIAL.has(name.trimEnd().toLowerCase());
  }

  #keepField(name: string, content: Uint8Array): void {
    const { fields } = this.#block;
    const kept = content.length > MAX_FIELD_BYTES ? wholeCharacters(content, MAX_FIELD_BYTES) : content;
    if (kept !== content) this.#block.isCut = true;
    const isEssential = ESSENTIAL.has(name) && !this.#seen.has(name);
    const fits = fields.length < MAX_FIELDS && this.#bytes + kept.length <= MAX_HEADER_BYTES;
    if (!fits && !isEssential) {
      this.#block.isCut = true;
      return;
    }
    this.#seen.add(name);
    // Essential fields have reserved room, so that filler before them cannot push them out.
    if (!isEssential) this.#bytes += kept.length;
    fields.push({ name, value: fieldValue(kept, name === COMPARED) });
  }
}

function wholeCharacters(bytes: Uint8Array, maxBytes: number): Uint8Array {
  let end = maxBytes;
  while (end > maxBytes - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

function fieldValue(bytes: Uint8Array, keepsNul: boolean): string {
  const value = decodeLegacy(bytes).trimEnd();
  return NEEDS_UNFOLDING.test(value) ? unfolded(value, keepsNul) : value.replace(/^[ \t]+/, "");
}

const NEEDS_UNFOLDING = /[\r\n\0]/;

/** Drops the line end and keeps the blank after it (RFC 5322 §2.2.3); a CR of its own becomes a blank. */
function unfolded(value: string, keepsNul: boolean): string {
  return value
    .replaceAll("\r\n", "")
    .replaceAll("\n", "")
    .replaceAll("\r", " ")
    .replaceAll("\0", keepsNul ? "\0" : "")
    .replace(/^[ \t]+/, "")
    .trimEnd();
}

/** Decodes bytes without a declared charset: as UTF-8 if they are valid UTF-8, else as windows-1252. */
export function decodeLegacy(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    // Not UTF-8: every byte sequence is valid windows-1252.
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
