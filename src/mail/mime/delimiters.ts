import { latin1 } from "../../lib/latin1.ts";
import { MAX_BOUNDARY_CHARS } from "./part-limits.ts";

/**
 * Bytes of a line that is compared with the open boundaries, its line end included. A boundary has 70 characters (RFC 2046
 * §5.1.1), a line 998 (RFC 5321 §4.5.3.1.6); a reader of a stream has to hold the line until it ends.
 */
export const MAX_DELIMITER_BYTES = 8_192;

const DASH = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;

/** An open multipart's boundary, without its dashes. */
type Boundary = { value: Uint8Array };

/** A delimiter that begins a part, or one that ends a multipart. */
export type DelimiterKind = "part" | "end";

/** Whether two dashes stand at `at`. */
export function isDashed(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === DASH && bytes[at + 1] === DASH;
}

/** Tells delimiters from the many lines that only begin with two dashes. */
export class Delimiters {
  readonly #known = new Set<string>();
  #count = 0;
  #last: Boundary | undefined;

  /**
   * The kind of delimiter that a line is, given without its line end, with which it takes `lineBytes`; null if it is none of an
   * open multipart.
   */
  kindOf(line: Uint8Array, lineBytes: number, boundaries: readonly Boundary[]): DelimiterKind | null {
    if (!isDashed(line, 0) || lineBytes > MAX_DELIMITER_BYTES) return null;
    if (!this.#mayBe(line, boundaries)) return null;
    for (const { value } of boundaries.toReversed()) {
      const kind = kindFor(line, value);
      if (kind !== null) return kind;
    }
    return null;
  }

  #mayBe(line: Uint8Array, boundaries: readonly Boundary[]): boolean {
    if (boundaries.length === 0) return false;
    this.#learn(boundaries);
    const text = latin1(line.subarray(2, MAX_BOUNDARY_CHARS + 4)).trimEnd();
    const known = this.#known;
    if (known.has(text) || known.has(text.slice(0, MAX_BOUNDARY_CHARS))) return true;
    return text.endsWith("--") && known.has(text.slice(0, -2).trimEnd());
  }

  #learn(boundaries: readonly Boundary[]): void {
    const last = boundaries.at(-1);
    if (boundaries.length === this.#count && last === this.#last) return;
    this.#count = boundaries.length;
    this.#last = last;
    this.#known.clear();
    for (const { value } of boundaries) {
      this.#known.add(latin1(value.subarray(0, MAX_BOUNDARY_CHARS)).trimEnd());
    }
  }
}

/** Compares as the parser does: the boundary byte for byte, two dashes at the end of a multipart, then blanks only. */
function kindFor(line: Uint8Array, boundary: Uint8Array): DelimiterKind | null {
  const end = boundary.length + 2;
  if (line.length < end) return null;
  for (let at = 0; at < boundary.length; at++) if (line[at + 2] !== boundary[at]) return null;
  const kind = isDashed(line, end) ? "end" : "part";
  for (let at = kind === "end" ? end + 2 : end; at < line.length; at++) {
    if (line[at] !== SPACE && line[at] !== TAB) return null;
  }
  return kind;
}
