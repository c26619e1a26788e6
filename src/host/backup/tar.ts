import { mkdir, open } from "node:fs/promises";
import path from "node:path";
import { BackupError, HEADER_FILE, LIST_SUFFIX, chunkPath } from "./format.ts";
import { sha256 } from "./seal.ts";
import { listText, manifestPath } from "./target.ts";
import type { Target } from "./target.ts";

const BLOCK = 512;
/** The largest file of a backup: a manifest. */
const MAX_FILE_BYTES = 1_073_741_824;
/** The names that a backup has; others are refused, so that no name leads out of the folder. */
const NAME = new RegExp(
  `^(?:${HEADER_FILE.replace(".", "\\.")}|README\\.txt|chunks/[0-9a-f]{2}/[0-9a-f]{64}\\.gz(?:\\.age)?|snapshots/\\d{8}T\\d{9}Z-(?:all|one)(?:\\.jsonl\\.gz(?:\\.age)?|\\.sha256))$`,
);

/** Writes bytes in order; resolves when there is room for more. */
export type Write = (bytes: Uint8Array) => Promise<void>;

/** One snapshot as a tar archive (POSIX ustar) of a backup folder. */
export class TarTarget implements Target {
  readonly #write: Write;
  readonly #suffix: string;
  readonly #hashes = new Map<string, string>();
  /** Files are written one after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(write: Write, suffix: string) {
    this.#write = write;
    this.#suffix = suffix;
  }

  has(name: string): boolean {
    return this.#hashes.has(chunkPath(name, this.#suffix));
  }

  put(name: string, sealed: Uint8Array): Promise<void> {
    const file = chunkPath(name, this.#suffix);
    this.#hashes.set(file, sha256(sealed));
    return this.add(file, sealed);
  }

  async commit({ id, manifest }: Parameters<Target["commit"]>[0]): Promise<void> {
    const file = manifestPath(id, this.#suffix);
    await this.add(file, manifest);
    this.#hashes.set(file, sha256(manifest));
    await this.add(`snapshots/${id}${LIST_SUFFIX}`, Buffer.from(listText(this.#hashes)));
    await this.#write(Buffer.alloc(2 * BLOCK));
  }

  /** Adds a file to the archive. */
  add(name: string, bytes: Uint8Array): Promise<void> {
    this.#last = this.#last.then(async () => {
      await this.#write(headerOf(name, bytes.byteLength));
      await this.#write(bytes);
      await this.#write(Buffer.alloc(-bytes.byteLength & (BLOCK - 1)));
    });
    return this.#last;
  }
}

/** A header of a regular file (POSIX.1-1988, ustar): mode 0600, no owner, no time. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, "utf8");
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\0", 257);
  header.write("00", 263);
  header.write(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** The sum of the bytes of a header, its checksum read as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  return sum;
}

/** Unpacks an archive of a backup into a folder. Throws a {@link BackupError} for anything that no backup has. */
export async function unpackTar(source: AsyncIterable<Uint8Array>, folder: string): Promise<void> {
  const reader = new BlockReader(source);
  for (;;) {
    const header = await reader.read(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const { name, size } = readHeaderBlock(header);
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, "wx", 0o600);
    try {
      for (let left = size; left > 0;) {
        const bytes = await reader.some(left);
        await handle.writeFile(bytes);
        left -= bytes.byteLength;
      }
    } finally {
      await handle.close();
    }
    await reader.read(-size & (BLOCK - 1));
  }
}

function readHeaderBlock(header: Buffer): { name: string; size: number } {
  const text = (from: number, length: number): string =>
    header.toString("latin1", from, from + length).replace(/\0.*$/s, "");
  const sum = Number.parseInt(text(148, 8), 8);
  if (sum !== checksumOf(header))
    throw new BackupError("broken", "The archive is damaged: a header has a wrong checksum");
  const name = text(0, 100);
  const size = Number.parseInt(text(124, 12), 8);
  if (!NAME.test(name) || text(345, 155) !== "" || !["", "0"].includes(text(156, 1)))
    throw new BackupError(
      "broken",
      "The archive is not a backup: it has a file that no backup has; give the output of mailkeep-server backup -",
    );
  if (!Number.isSafeInteger(size) || size > MAX_FILE_BYTES)
    throw new BackupError("broken", `The archive is damaged: ${name} has an impossible size`);
  return { name, size };
}

/** Reads a stream in pieces of a wanted length. */
class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly `length` bytes. */
  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0;) {
      const bytes = await this.some(left);
      pieces.push(bytes);
      left -= bytes.byteLength;
    }
    return Buffer.concat(pieces);
  }

  /** At least one byte, and at most `most`. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.byteLength === 0) {
      const next = await this.#source.next();
      if (next.done === true) throw new BackupError("broken", "The archive ends early: it was cut off");
      this.#rest = Buffer.from(next.value);
    }
    const bytes = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(bytes.byteLength);
    return bytes;
  }
}
