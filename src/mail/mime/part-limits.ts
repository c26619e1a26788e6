/** Parts read of one message. postal-mime takes 0.65 s for 10,000 and 5.8 s for 100,000. */
export const MAX_PARTS = 1_000;
/** Lines that begin with two dashes: each is compared with the boundaries of the open multiparts. */
const MAX_DASHED_LINES = 10_000;
/** Lines read; the parser takes 0.4 s for a million, and a mail of that many is a log file. */
const MAX_LINES = 1_000_000;
/** RFC 2046 §5.1.1 allows 70 characters; some senders write more. */
export const MAX_BOUNDARY_CHARS = 256;

const LF = 0x0a;
const DASH = 0x2d;

/** The part of a message that is handed to the parser, and which limit ended it. */
export interface ReadableLength {
  bytes: number;
  fault: "too_many_parts" | "too_many_lines" | null;
}

/** Counts lines, in one pass over the bytes. */
export function readableLength(raw: Uint8Array): ReadableLength {
  const limits = new LineLimits();
  return { bytes: limits.read(raw), fault: limits.fault };
}

/** Counts the lines of a message that comes in pieces. */
export class LineLimits {
  /** Set when a limit is reached. */
  fault: ReadableLength["fault"] = null;
  #lines = 0;
  #dashed = 0;
  /** Bytes of the line so far: 0, 1, or 2 for more. */
  #column = 0;

  /** How many bytes of the next piece are to be read: it ends before the first line that is over a limit. */
  read(piece: Uint8Array): number {
    let at = 0;
    while (at < piece.length && this.fault === null) {
      if (this.#column === 0 && this.#isOver()) break;
      at = this.#lineFrom(piece, at);
    }
    return at;
  }

  #isOver(): boolean {
    this.#lines++;
    if (this.#lines === MAX_LINES) this.fault = "too_many_lines";
    else if (this.#dashed > MAX_DASHED_LINES) this.fault = "too_many_parts";
    return this.fault !== null;
  }

  /** Reads the line, or the rest of it, that lies at `from`; returns the offset behind it. */
  #lineFrom(piece: Uint8Array, from: number): number {
    let at = from;
    // A plain loop: a call of indexOf for each line is slower where hostile mail has very short lines.
    if (this.#column === 0 && piece[at] === DASH) {
      this.#column = 1;
      at++;
    }
    if (this.#column === 1 && at < piece.length) {
      if (piece[at] === DASH) this.#dashed++;
      this.#column = 2;
    }
    while (at < piece.length && piece[at] !== LF) at++;
    if (at === piece.length) {
      if (this.#column === 0) this.#column = 2;
      return at;
    }
    this.#column = 0;
    return at + 1;
  }
}
