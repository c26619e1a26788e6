import type { PartNode } from "./postal-mime-internals.ts";

/** Multiparts inside multiparts. Honest mail stays below 10; the parser recurses once for each. */
export const MAX_NESTING_DEPTH = 100;
/** Bytes of part headers in all, postal-mime's own default: 1,000 parts with 2 KB each. */
const MAX_PART_HEADER_BYTES = 2 * 1024 * 1024;
/** Lines of part headers in all: 1,000 parts with 40 each. The parser takes 2 s for a million. */
const MAX_HEADER_LINES = 40_000;
/** Bytes of the header of one part: the parser copies a field character by character. */
export const MAX_HEADER_BYTES_OF_PART = 256 * 1024;

/** The limits that the parser keeps itself: it throws beyond them. */
export const PARSER_LIMITS = { maxNestingDepth: MAX_NESTING_DEPTH, maxHeadersSize: MAX_PART_HEADER_BYTES };

/** Counts the lines and bytes in the headers of parts. */
export class HeaderLimits {
  /** Whether header fields of a part were not read. */
  isHeaderCut = false;
  /** Whether lines beyond MAX_HEADER_LINES were not read. */
  isLineCut = false;
  #lines = 0;
  #bytes = 0;
  #of: PartNode | null = null;

  /** Whether the next line of a part is to be read; lines of bodies always are. */
  fits(node: PartNode, line: Uint8Array): boolean {
    if (node.state !== "header" || line.length === 0) return true;
    if (this.#of !== node) {
      this.#of = node;
      this.#bytes = 0;
    }
    this.#lines += 1;
    this.#bytes += line.length;
    if (this.#lines > MAX_HEADER_LINES) this.isLineCut = true;
    if (this.#bytes > MAX_HEADER_BYTES_OF_PART) this.isHeaderCut = true;
    return this.#lines <= MAX_HEADER_LINES && this.#bytes <= MAX_HEADER_BYTES_OF_PART;
  }
}
