import { latin1 } from "../../lib/latin1.ts";
import { lineEnd } from "./header-block.ts";

/** Parts read of one message. postal-mime takes 0.65 s for 10,000 and 5.8 s for 100,000. */
export const MAX_PARTS = 1_000;
/** Lines that begin with two dashes: limits delimiters whose declaration the scan does not see. */
const MAX_DASHED_LINES = 10_000;
/** Lines read; the parser takes 0.4 s for a million, and a mail of that many is a log file. */
const MAX_LINES = 1_000_000;
/** Boundary declarations that are read, one for each multipart; MAX_DASHED_LINES limits the others. */
const MAX_DECLARATIONS = 2_000;
/** RFC 2046 §5.1.1 allows 70 characters; some senders write more. */
export const MAX_BOUNDARY_CHARS = 256;

const LF = 0x0a;
const DASH = 0x2d;

/** The part of a message that is handed to the parser, and which limit ended it. */
export interface ReadableLength {
  bytes: number;
  fault: "too_many_parts" | "too_many_lines" | null;
}

/** Counts delimiters and lines, in one pass over the bytes. */
export function readableLength(raw: Uint8Array): ReadableLength {
  const boundaries = declaredBoundaries(raw);
  let lines = 0;
  let dashed = 0;
  let delimiters = 0;
  for (let at = 0; at < raw.length; at = lines === MAX_LINES ? raw.length : nextLine(raw, at)) {
    lines++;
    if (lines === MAX_LINES) return { bytes: at, fault: "too_many_lines" };
    if (raw[at] !== DASH || raw[at + 1] !== DASH) continue;
    dashed++;
    if (boundaries.size > 0 && boundaries.has(delimiterAt(raw, at))) delimiters++;
    if (delimiters > MAX_PARTS || dashed > MAX_DASHED_LINES) return { bytes: at, fault: "too_many_parts" };
  }
  return { bytes: raw.length, fault: null };
}

/** A plain loop: a call of indexOf for each line is slower where hostile mail has very short lines. */
function nextLine(raw: Uint8Array, from: number): number {
  let at = from;
  while (at < raw.length && raw[at] !== LF) at++;
  return at + 1;
}

function delimiterAt(raw: Uint8Array, start: number): string {
  const end = Math.min(lineEnd(raw, start), start + MAX_BOUNDARY_CHARS + 4);
  return latin1(raw.subarray(start + 2, end)).trimEnd();
}

/** Values of `boundary=` anywhere in the message. A false find does no harm: only lines that repeat it count. */
function declaredBoundaries(raw: Uint8Array): ReadonlySet<string> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = new Set<string>();
  let left = MAX_DECLARATIONS;
  for (const spelling of ["boundary", "Boundary", "BOUNDARY"]) {
    let at = bytes.indexOf(spelling);
    while (at !== -1 && left-- > 0) {
      const boundary = boundaryValue(latin1(raw.subarray(at + spelling.length, at + spelling.length + 300)));
      if (boundary !== null) found.add(boundary);
      at = bytes.indexOf(spelling, at + spelling.length);
    }
  }
  return found;
}

function boundaryValue(text: string): string | null {
  const match = /^\s*=\s*(?:"([^"\r\n]{1,256})"|([^\s;"]{1,256}))/.exec(text);
  return match?.[1] ?? match?.[2] ?? null;
}
