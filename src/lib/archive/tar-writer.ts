/** The size of a header, and of the blocks that every entry is padded to, in bytes. */
export const BLOCK_BYTES = 512;

/** A file of a tar archive, or a folder (whose name ends with "/"). */
export interface TarFile {
  name: string;
  sizeBytes: number;
  /** ms since 1970. */
  modifiedMs: number;
  /** A text for programs that know it, which others skip (the keyword `comment` of POSIX pax); "" for none. */
  comment?: string;
}

const UTF_8 = new TextEncoder();
const MAX_NAME_BYTES = 100;
/** The first size that does not fit into eleven octal digits. */
const MAX_OCTAL = 8 ** 11;
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const PAX = "x";
const FILE = "0";
const FOLDER = "5";

/** The bytes before the content of an entry: its header, and before that a pax header (POSIX.1-2001) where one is needed. */
export function tarHeader({ name, sizeBytes, modifiedMs, comment = "" }: TarFile): Uint8Array {
  const isFolder = name.endsWith("/");
  const records = [
    UTF_8.encode(name).length > MAX_NAME_BYTES || !isAscii(name) ? paxRecord("path", name) : "",
    sizeBytes >= MAX_OCTAL ? paxRecord("size", String(sizeBytes)) : "",
    modifiedMs % 1_000 === 0 ? "" : paxRecord("mtime", (modifiedMs / 1_000).toFixed(3)),
    comment === "" ? "" : paxRecord("comment", comment),
  ].join("");
  const seconds = Math.max(0, Math.floor(modifiedMs / 1_000));
  const own = header({ name, sizeBytes, seconds, type: isFolder ? FOLDER : FILE });
  if (records === "") return own;
  const content = UTF_8.encode(records);
  const pax = header({ name: `pax/${name}`, sizeBytes: content.length, seconds, type: PAX });
  const whole = new Uint8Array(BLOCK_BYTES + filled(content.length) + BLOCK_BYTES);
  whole.set(pax);
  whole.set(content, BLOCK_BYTES);
  whole.set(own, whole.length - BLOCK_BYTES);
  return whole;
}

/** The zeros that pad contents of `sizeBytes` to whole blocks. */
export function tarPadding(sizeBytes: number): Uint8Array {
  return new Uint8Array(filled(sizeBytes) - sizeBytes);
}

/** The end of an archive: two blocks of zeros. */
export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * BLOCK_BYTES);
}

/** A size rounded up to whole blocks. */
export function filled(sizeBytes: number): number {
  return Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** `length keyword=value\n`, where the length counts its own digits too. */
function paxRecord(keyword: string, value: string): string {
  const rest = ` ${keyword}=${value}\n`;
  const bytes = UTF_8.encode(rest).length;
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  return `${length}${rest}`;
}

interface Fields {
  name: string;
  sizeBytes: number;
  seconds: number;
  type: string;
}

function header({ name, sizeBytes, seconds, type }: Fields): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string) => block.set(UTF_8.encode(text), at);
  const octal = (at: number, digits: number, value: number) =>
    put(at, value.toString(8).padStart(digits, "0").slice(-digits));
  block.set(UTF_8.encode(name.replaceAll(/[^\x20-\x7e]/g, "_")).subarray(0, MAX_NAME_BYTES));
  octal(100, 7, type === FOLDER ? FOLDER_MODE : FILE_MODE);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, sizeBytes < MAX_OCTAL ? sizeBytes : 0);
  octal(136, 11, seconds);
  put(148, "        ");
  put(156, type);
  put(257, "ustar\u000000");
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\u0000 `);
  return block;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
