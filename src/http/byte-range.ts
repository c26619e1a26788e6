/** Inclusive start and exclusive end of a requested range. */
export interface Range {
  start: number;
  end: number;
}

/**
 * Reads a Range header (RFC 9110 §14.1.2) against a body of `size` bytes. Null: no range, or one of a kind that is served
 * whole (several ranges, other units, nonsense); `unsatisfiable`: answer 416.
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
