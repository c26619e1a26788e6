import { BLOCK_BYTES, filled } from "./tar-writer.ts";
import type { Window } from "./window.ts";

/** An entry of an archive. Its name is hostile: it is never used as a path. */
export interface TarEntry {
  name: string;
  isFile: boolean;
  /** Where the content begins, in bytes from the beginning of the archive. */
  start: number;
  sizeBytes: number;
  /** Where the next entry begins. */
  next: number;
  /** ms since 1970; null if the archive does not say it. */
  modifiedMs: number | null;
  /** The pax `comment`; "" if there is none. */
  comment: string;
}

/** The archive is damaged, or is not a tar archive. */
export class BadArchive extends Error {
  override readonly name = "BadArchive";
}

/** The most bytes of one extended header; those of real archives have a few hundred. */
const MAX_EXTENDED_BYTES = 65_536;
/** The most records of one extended header. Extended attributes of a file have one each. */
const MAX_RECORDS = 256;
/** The most extended headers of one entry. */
const MAX_EXTENDED = 8;

const UTF_8 = new TextDecoder();
/** Files in the formats v7, ustar and GNU; "7" is a contiguous file. */
const FILES: ReadonlySet<string> = new Set(["0", "\u0000", "7"]);

/** The values that extended headers set for the next entry. */
interface Said {
  path?: string;
  size?: number;
  mtime?: number;
  comment?: string;
}

/**
 * The entry that begins at `offset`, or null at the end mark, a block of zeros. Extended headers of pax and GNU are read;
 * links, devices and sparse files are returned as entries that are not files. Throws {@link BadArchive}, also where the bytes
 * end without the mark: a file that was cut off between two entries looks whole otherwise.
 */
export async function readTarEntry(window: Pick<Window, "at">, offset: number): Promise<TarEntry | null> {
  const said: Said = {};
  let at = offset;
  for (let extended = 0; extended <= MAX_EXTENDED; extended += 1) {
    const block = await window.at(at, BLOCK_BYTES);
    if (block.length === 0) throw new BadArchive("The archive ends without its end mark: it was cut off");
    if (isTarEnd(block)) return null;
    if (block.length < BLOCK_BYTES) throw new BadArchive("The archive ends within a header");
    checkSum(block);
    const type = String.fromCharCode(block[156] ?? 0);
    const own = numberIn(block, 124, 12);
    if (!isExtended(type)) return entryOf(block, { type, at, own }, said);
    if (own > MAX_EXTENDED_BYTES) throw new BadArchive("An extended header of the archive is too large");
    const content = await window.at(at + BLOCK_BYTES, own);
    if (content.length < own) throw new BadArchive("The archive ends within a header");
    if (type === "x") readPax(content, said);
    if (type === "L") said.path = textOf(content);
    at += BLOCK_BYTES + filled(own);
  }
  throw new BadArchive("An entry of the archive has too many extended headers");
}

/** Whether bytes begin like a tar archive. */
export function isTar(head: Uint8Array): boolean {
  return head.length >= BLOCK_BYTES && sumOf(head.subarray(0, BLOCK_BYTES)) === numberOr(head, -1);
}

/** Whether bytes begin with the end mark of a tar archive, as an empty one does. */
export function isTarEnd(head: Uint8Array): boolean {
  return head.length >= BLOCK_BYTES && head.subarray(0, BLOCK_BYTES).every((byte) => byte === 0);
}

function isExtended(type: string): boolean {
  return type === "x" || type === "g" || type === "L" || type === "K";
}

function entryOf(
  block: Uint8Array,
  { type, at, own }: { type: string; at: number; own: number },
  said: Said,
): TarEntry {
  const sizeBytes = said.size ?? own;
  const start = at + BLOCK_BYTES;
  const prefix = textOf(block.subarray(345, 500));
  const isUstar = textOf(block.subarray(257, 262)) === "ustar" && block[262] === 0;
  const name = textOf(block.subarray(0, 100));
  const whole = isUstar && prefix !== "" ? `${prefix}/${name}` : name;
  const seconds = said.mtime ?? numberIn(block, 136, 12);
  return {
    name: said.path ?? whole,
    isFile: FILES.has(type),
    start,
    sizeBytes,
    // Links and folders have no content, whatever size they state.
    next: start + (/[1-6]/.test(type) ? 0 : filled(sizeBytes)),
    modifiedMs: seconds > 0 ? Math.round(seconds * 1_000) : null,
    comment: said.comment ?? "",
  };
}

function readPax(content: Uint8Array, said: Said): void {
  for (let at = 0, records = 1; at < content.length; records += 1) {
    if (records > MAX_RECORDS) {
      throw new BadArchive("An extended header of the archive has too many records");
    }
    const space = content.indexOf(0x20, at);
    const length = Number(UTF_8.decode(content.subarray(at, Math.max(at, space))));
    if (space < 0 || !Number.isSafeInteger(length) || length <= 0 || at + length > content.length) return;
    const record = UTF_8.decode(content.subarray(space + 1, at + length - 1));
    at += length;
    const equals = record.indexOf("=");
    note(said, record.slice(0, equals), record.slice(equals + 1));
  }
}

function note(said: Said, keyword: string, value: string): void {
  if (keyword === "path") said.path = value;
  if (keyword === "comment") said.comment = value;
  if (keyword === "mtime" && Number.isFinite(Number(value))) said.mtime = Number(value);
  if (keyword !== "size") return;
  if (!/^\d{1,15}$/.test(value)) throw new BadArchive("An entry of the archive has no readable size");
  said.size = Number(value);
}

/** A number in octal digits, or in the binary form of GNU for large ones. */
function numberIn(block: Uint8Array, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) {
    const value = field.subarray(1).reduce((total, byte) => total * 256 + byte, (field[0] ?? 0) & 0x7f);
    if (!Number.isSafeInteger(value)) throw new BadArchive("A number in the archive is too large");
    return value;
  }
  const digits = textOf(field).trim();
  if (!/^[0-7]*$/.test(digits)) throw new BadArchive("A number in the archive is not readable");
  return digits === "" ? 0 : parseInt(digits, 8);
}

function checkSum(block: Uint8Array): void {
  if (sumOf(block) !== numberOr(block, -1)) throw new BadArchive("A header of the archive is damaged");
}

function numberOr(block: Uint8Array, fallback: number): number {
  try {
    return numberIn(block, 148, 8);
  } catch {
    return fallback;
  }
}

/** The checksum of a header: the sum of all its bytes, with the checksum field as blanks. */
function sumOf(block: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
  return sum;
}

/** A text up to its first zero byte. */
function textOf(field: Uint8Array): string {
  const end = field.indexOf(0);
  return UTF_8.decode(end < 0 ? field : field.subarray(0, end));
}
