import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";

/** A whole message that was received and not yet acknowledged. It can be read several times. */
export interface SpooledMessage {
  readonly sizeBytes: number;
  /** True if it lies on disk, false if it is held in memory. */
  readonly onDisk: boolean;
  open(): Buffer | Readable;
  discard(): Promise<void>;
}

export interface SpoolLimits {
  dir: string;
  maxBytes: number;
}

/** Nearly all mail is smaller. The 100 connections of the listener hold at most 100 MiB in memory. */
const MAX_MEMORY_BYTES = 1024 * 1024;

/** Makes the spool folder, readable by its owner only, and removes files that a crash left there: they were never acknowledged. */
export async function clearSpool(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
}

/**
 * Stores a DATA stream, byte for byte. Null if it is longer than `maxBytes`: then the rest was read and dropped, because SMTP
 * has no reply before the final dot. Rejects if the client disconnects.
 *
 * @param onBytes is told all bytes that are stored, as they come
 */
export async function spool(
  stream: AsyncIterable<Buffer>,
  limits: SpoolLimits,
  onBytes: (bytes: Buffer) => void = () => {},
): Promise<SpooledMessage | null> {
  const file = new SpoolFile(limits.dir);
  const held: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of stream) {
      sizeBytes += chunk.length;
      if (sizeBytes > limits.maxBytes) {
        held.length = 0;
        await file.remove();
        continue;
      }
      onBytes(chunk);
      held.push(chunk);
      if (sizeBytes > MAX_MEMORY_BYTES) await file.append(held.splice(0));
    }
    await file.close();
  } catch (error) {
    await file.remove();
    throw error;
  }
  if (sizeBytes > limits.maxBytes) return null;
  if (sizeBytes > MAX_MEMORY_BYTES) return onDisk(file, sizeBytes);
  const bytes = Buffer.concat(held);
  return { sizeBytes, onDisk: false, open: () => bytes, discard: async () => {} };
}

function onDisk(file: SpoolFile, sizeBytes: number): SpooledMessage {
  return {
    sizeBytes,
    onDisk: true,
    open: () => createReadStream(file.path),
    discard: () => file.remove(),
  };
}

/** A file that is made when the first bytes are appended. */
class SpoolFile {
  readonly path: string;
  #handle: FileHandle | null = null;
  #exists = false;

  constructor(dir: string) {
    this.path = path.join(dir, `${randomUUID()}.eml`);
  }

  async append(chunks: readonly Buffer[]): Promise<void> {
    this.#handle ??= await open(this.path, "wx", 0o600);
    this.#exists = true;
    await this.#handle.appendFile(Buffer.concat(chunks));
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }

  async remove(): Promise<void> {
    if (!this.#exists) return;
    this.#exists = false;
    await this.close();
    await rm(this.path, { force: true });
  }
}
