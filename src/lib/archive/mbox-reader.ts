import { breath, BREATH_BYTES } from "../breath.ts";
import { isMail, isMailField } from "./mail-head.ts";
import type { Window } from "./window.ts";

/** A message of an mbox file, or a further part of one that is larger than the limit. */
export interface MboxEntry {
  /** The message without its From_ line, unquoted; null if it is larger than the limit. */
  raw: Uint8Array | null;
  /** Whether this is a further part of a message that is larger than the limit, which was answered before. */
  isRest: boolean;
  /** The time of its From_ line in ms since 1970; null if that cannot be read. */
  fromMs: number | null;
  /** Where the next message begins, or the rest of one that is larger than the limit. */
  next: number;
}

const FROM = Buffer.from("From ");
const NEWLINE_FROM = Buffer.from("\nFrom ");
const QUOTED_FROM = Buffer.from("\n>");
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const GREATER = 0x3e;
/** The longest From_ line. */
const MAX_LINE_BYTES = 1_024;
/** The shortest From_ line with a time is longer: its time alone has more. */
const MIN_TIMED_BYTES = 16;
/** A From_ line and the line after it: all that is read to recognise the line. */
const SEPARATOR_BYTES = 2 * MAX_LINE_BYTES;
/** The line end before a From_ line, and a blank line before that. */
const BEFORE_BYTES = 3;
/** How far one call looks for the end of a message that is larger than the limit. */
const REST_BYTES = 262_144;

/** A From_ line without a time, and perhaps without a sender. */
const BARE_FROM_LINE = /^From (?:\S+)?[ \t]*$/;
/** `From <sender> <time as C's asctime writes it>`, perhaps with a zone: mails quote other lines that begin with "From ". */
const FROM_LINE =
  /^From .*?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +)?(?<time>(?:\d{1,2} +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .*)$/;
const ASCTIME =
  /^(?:(?<dayFirst>\d{1,2}) +)?(?<month>[A-Z][a-z]{2}) +(?:(?<day>\d{1,2}) +)?(?:(?<yearFirst>\d{4}) +)?(?<clock>\d{1,2}:\d{2}(?::\d{2})?)(?: +(?:[A-Z]{3,4} +)?(?<offset>[+-]\d{4}))?(?: +[A-Z]{1,5})?(?: +(?<year>\d{4}))?(?: +(?<offsetLast>[+-]\d{4}))?(?: +.*)?$/;

/** Whether bytes begin like an mbox file: with a From_ line and the header of a message. */
export function isMbox(head: Uint8Array): boolean {
  return isFromAt(head, 0) && (isSeparator(asBuffer(head), 0) || isMail(head));
}

/**
 * The message that begins with the From_ line at `offset`, or null at the end. A message ends where a line looks like a From_
 * line and the next like a header field; a From_ line without a time needs a blank line before it and a field of mail after it.
 * `Content-Length` is ignored. `>From` becomes `From`, as mboxrd writes. A message larger than `maxBytes` is passed over in
 * parts, so that a caller can note how far it came.
 */
export async function readMboxEntry(
  window: Window,
  offset: number,
  maxBytes: number,
): Promise<MboxEntry | null> {
  // The bytes before tell whether a line begins here. Before the first byte there are none.
  const before = Math.min(offset, BEFORE_BYTES);
  const head = asBuffer(await window.at(offset - before, before + SEPARATOR_BYTES));
  if (head.length <= before) return null;
  if (offset > 0 && !isSeparator(head, before)) {
    const { at } = await endOf(window, offset, offset + REST_BYTES);
    return { raw: null, isRest: true, fromMs: null, next: at };
  }
  const { start, fromMs } = fromLine(head, { before, offset });
  const { at: next, isFound } = await endOf(window, start, start + maxBytes + 1);
  const length = next - start;
  if (!isFound || length > maxBytes) return { raw: null, isRest: false, fromMs, next };
  const bytes = await window.at(start, length);
  return { raw: await unquoted(withoutLastBlank(bytes)), isRest: false, fromMs, next };
}

/** Where the content of a message begins, and the time of its From_ line. The first message may lack that line. */
function fromLine(
  head: Buffer,
  { before, offset }: { before: number; offset: number },
): { start: number; fromMs: number | null } {
  if (!isFromAt(head, before)) return { start: offset, fromMs: null };
  const lineEnd = head.indexOf(NEWLINE, before);
  const length = lineEnd < 0 ? head.length - before : lineEnd + 1 - before;
  return { start: offset + length, fromMs: timeOf(lineAt(head, before)) };
}

/** Where the message whose content begins at `start` ends; if that is not found before `until`, how far it was looked for. */
async function endOf(
  window: Window,
  start: number,
  until: number,
): Promise<{ at: number; isFound: boolean }> {
  // The newline before the content counts: if the content is empty, its From_ line is followed by the next one.
  let at = Math.max(0, start - 1);
  do {
    const before = Math.min(at, BEFORE_BYTES);
    const bytes = asBuffer(await window.at(at - before, before + BREATH_BYTES + SEPARATOR_BYTES));
    const isLast = at - before + bytes.length >= window.sizeBytes;
    const found = separatorIn(bytes, before, isLast ? bytes.length : before + BREATH_BYTES);
    if (found !== null) return { at: at - before + found, isFound: true };
    if (isLast) return { at: window.sizeBytes, isFound: true };
    at += BREATH_BYTES;
    // A message may hold millions of lines that look like a From_ line.
    await breath();
  } while (at < until);
  return { at, isFound: false };
}

/** Where the first From_ line begins that follows one of the bytes between `from` and `to`; null if there is none. */
function separatorIn(bytes: Buffer, from: number, to: number): number | null {
  let at = bytes.indexOf(NEWLINE_FROM, from);
  while (at >= 0 && at < to) {
    if (isSeparator(bytes, at + 1)) return at + 1;
    at = bytes.indexOf(NEWLINE_FROM, at + 1);
  }
  return null;
}

/** Whether a From_ line begins at `at`, and after it the header of a message. */
function isSeparator(source: Buffer, at: number): boolean {
  if (!isFromAt(source, at) || (at > 0 && source[at - 1] !== NEWLINE)) return false;
  const bytes = source.subarray(at, at + SEPARATOR_BYTES);
  const end = bytes.indexOf(NEWLINE);
  const mayBeBare = isAfterBlank(source, at);
  if (end < (mayBeBare && isLetter(bytes[end + 1]) ? FROM.length : MIN_TIMED_BYTES)) return false;
  const [line, next] = [lineAt(bytes, 0), lineAt(bytes, end + 1)];
  if (mayBeBare && BARE_FROM_LINE.test(line)) return isMailField(next);
  if (timeOf(line) === null) return false;
  return next === "" || /^>?[!-9;-~]+ ?:/.test(next) || /^>?From /.test(next);
}

function isLetter(byte = 0): boolean {
  return /[a-z]/i.test(String.fromCharCode(byte));
}

/** Whether the line before `at` is blank, or there is none. */
function isAfterBlank(source: Buffer, at: number): boolean {
  if (at === 0) return true;
  const before = source[at - 2] === RETURN ? at - 3 : at - 2;
  return before < 0 || source[before] === NEWLINE;
}

/** The line at `at` without its end, as Latin-1. */
function lineAt(bytes: Uint8Array, at: number): string {
  const end = bytes.indexOf(NEWLINE, at);
  const line = bytes.subarray(at, end < 0 ? bytes.length : end);
  return asBuffer(line).toString("latin1").replace(/\r$/, "");
}

/** The time of a From_ line in ms since 1970, as UTC unless it names an offset; null if the line is no From_ line. */
function timeOf(line: string): number | null {
  const groups = ASCTIME.exec(FROM_LINE.exec(line)?.groups?.time ?? "")?.groups;
  if (groups === undefined) return null;
  const { month, clock, day = groups.dayFirst, year = groups.yearFirst } = groups;
  const { offset = groups.offsetLast ?? "+0000" } = groups;
  // A time needs a day and a year.
  const ms = Date.parse(`${day} ${month} ${year} ${clock} ${offset}`);
  return Number.isNaN(ms) ? null : ms;
}

/** The message without the blank line that ends it in an mbox file. Some programs leave that line out. */
function withoutLastBlank(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (bytes[length - 1] !== NEWLINE) return bytes;
  const before = length - (bytes[length - 2] === RETURN ? 2 : 1);
  return before === 0 || bytes[before - 1] === NEWLINE ? bytes.subarray(0, before) : bytes;
}

/** A copy in which each line `>From `, with any number of `>`, has one `>` less. */
async function unquoted(bytes: Uint8Array): Promise<Uint8Array> {
  const source = asBuffer(bytes);
  const target = new Uint8Array(source.length);
  let from = 0;
  let length = 0;
  const copy = (to: number) => {
    length += source.copy(target, length, from, to);
    from = to;
  };
  if (source[0] === GREATER && isQuotedFrom(source, 0)) from = 1;
  let breathedAt = 0;
  for (let at = source.indexOf(QUOTED_FROM, from); at >= 0; at = source.indexOf(QUOTED_FROM, at + 1)) {
    if (at - breathedAt >= BREATH_BYTES) {
      breathedAt = at;
      await breath();
    }
    if (!isQuotedFrom(source, at + 1)) continue;
    copy(at + 1);
    from += 1;
  }
  copy(source.length);
  return length === target.length ? target : target.slice(0, length);
}

function isQuotedFrom(source: Buffer, at: number): boolean {
  let end = at;
  while (source[end] === GREATER) end += 1;
  return isFromAt(source, end);
}

function isFromAt(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < FROM.length; index += 1) {
    if (bytes[at + index] !== FROM[index]) return false;
  }
  return true;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
