/** A comment, so that proxies and clients see that the stream lives (interface specification, SSE stream 4). */
export const KEEPALIVE = ": keepalive\n\n";

/**
 * What a stream begins with: how long a client waits before it connects again, in ms, and where it stands in the log. A
 * block without `data:` is no event, but its `id:` is kept (HTML Standard, 9.2.6): so a client whose connection ends before
 * anything happened has a Last-Event-ID too, and misses nothing of what happens until it is back.
 */
export function openingBlock(seq: number): string {
  return `retry: 1000\nid: ${seq}\n\n`;
}

/** Ends of a field's line, and NUL, which voids an `id:` (HTML Standard, 9.2.6). */
const LINE_ENDS = /[\r\n\0]/g;

/** No line ends of the format, but of the line splitters that some clients read it with. JSON lets them stand bare. */
const LOOSE_LINE_ENDS = /[\u0085\u2028\u2029]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * One event of `GET /v1/events`: `id:`, `event:` and `data:`, each on one line whatever the sender of a mail wrote into
 * its subject (T58).
 */
export function eventFrame(seq: number, kind: string, data: object): string {
  const line = JSON.stringify(data).replace(LOOSE_LINE_ENDS, escaped);
  return `id: ${seq}\nevent: ${kind.replace(LINE_ENDS, "")}\ndata: ${line}\n\n`;
}

/**
 * The `seq` after which a client that reconnects goes on. Null without a usable header: not a number as our frames write
 * it, or above `newest`, the last of the log (wire contract, part 5, Streams).
 */
export function readLastEventId(header: string | null, newest: number): number | null {
  if (header === null || !/^(?:0|[1-9]\d{0,15})$/.test(header)) return null;
  const seq = Number(header);
  return seq <= newest ? seq : null;
}
