/** A comment that is sent while nothing happens, so that proxies and clients see that the stream is alive. */
export const KEEPALIVE = ": keepalive\n\n";

/**
 * The first block of a stream: the milliseconds before a client reconnects, and the `seq` after which the stream begins. A
 * block without `data:` is no event, but clients keep its `id:` (HTML Standard, 9.2.6). So a client whose connection ends before
 * any event has a Last-Event-ID too, and misses nothing until it is back.
 */
export function openingBlock(seq: number): string {
  return `retry: 1000\nid: ${seq}\n\n`;
}

/** Characters that end a line, and NUL, which invalidates an `id:` (HTML Standard, 9.2.6). */
const LINE_ENDS = /[\r\n\0]/g;

/** Not line ends of the format, but some clients split lines at them, and JSON does not escape them. */
const LOOSE_LINE_ENDS = /[\u0085\u2028\u2029]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * One event of `GET /v1/events`: `id:`, `event:` and `data:`, each on exactly one line, so that a sender cannot forge a frame by
 * a line break in a subject.
 */
export function eventFrame(seq: number, kind: string, data: object): string {
  const line = JSON.stringify(data).replace(LOOSE_LINE_ENDS, escaped);
  return `id: ${seq}\nevent: ${kind.replace(LINE_ENDS, "")}\ndata: ${line}\n\n`;
}

/**
 * The `seq` after which a client resumes. Null if the header is missing, is not a number as our frames write it, or is above
 * `newest`, the last entry of the log: it then counts as not sent.
 */
export function readLastEventId(header: string | null, newest: number): number | null {
  if (header === null || !/^(?:0|[1-9]\d{0,15})$/.test(header)) return null;
  const seq = Number(header);
  return seq <= newest ? seq : null;
}
