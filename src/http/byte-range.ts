/** A range of bytes: inclusive start, exclusive end. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Reads a Range header (RFC 9110 §14.1.2) for a body of `size` bytes. Null: the whole body is served, because no range is given
 * or one that need not be served (several ranges, other units, invalid). `unsatisfiable`: answer 416.
 */
export function readRange(header: string | null, size: number): Range | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (first === "") return last === "" ? null : suffix(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return null;
  return start >= size ? "unsatisfiable" : { start, end };
}

/** The last `length` bytes. */
function suffix(length: number, size: number): Range | "unsatisfiable" {
  const kept = Math.min(length, size);
  return kept === 0 ? "unsatisfiable" : { start: size - kept, end: size };
}
