import { randomBytes } from "node:crypto";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { codeOf } from "../profile/files.ts";
import { windowOn } from "./file-window.ts";
import { BadExport, verifyExport, type Manifest } from "./verify-export.ts";

/** Only its owner may read it: it holds all mail. */
const MODE = 0o600;

/** An export that was written. */
export interface SavedExport {
  manifest: Manifest;
  sizeBytes: number;
}

/** An export whose end did not arrive: `file` holds messages up to `lastId` in full, and the first part of what follows. */
export class CutExport extends Error {
  override readonly name = "CutExport";
  readonly file: string;
  readonly lastId: string;

  constructor(file: string, lastId: string) {
    super("the export was cut off");
    this.file = file;
    this.lastId = lastId;
  }
}

/**
 * Writes an export to a file beside `file`, reads it back to verify it, and only then gives it that name. Throws BadExport for
 * one that is not what was signed, and then leaves nothing; CutExport for one that was cut off after a whole message, and keeps it.
 * @param wrote is told how many bytes are written.
 */
export async function saveExport(
  body: AsyncIterable<Uint8Array>,
  file: string,
  { keys, signal, wrote }: { keys: unknown; signal: AbortSignal; wrote: (bytes: number) => void },
): Promise<SavedExport> {
  const part = `${file}.${randomBytes(4).toString("hex")}.part`;
  const handle = await open(part, "wx+", MODE);
  try {
    await writeAll(body, handle, wrote);
    signal.throwIfAborted();
    const { size: sizeBytes } = await handle.stat();
    const manifest = await verifyExport(windowOn(handle, sizeBytes), keys);
    await handle.sync();
    await rename(part, file);
    return { manifest, sizeBytes };
  } catch (error) {
    if (error instanceof BadExport && error.cut?.lastId != null) throw new CutExport(part, error.cut.lastId);
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** Verifies an export that was written earlier. */
export async function verifyFile(file: string, keys: unknown): Promise<SavedExport> {
  const handle = await open(file);
  try {
    const { size: sizeBytes } = await handle.stat();
    return { manifest: await verifyExport(windowOn(handle, sizeBytes), keys), sizeBytes };
  } finally {
    await handle.close();
  }
}

/** Writes what arrives. A connection that breaks ends it early, which the check of the file finds. */
async function writeAll(
  body: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  wrote: (bytes: number) => void,
): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
      wrote(bytes);
    }
  } catch (error) {
    // ENOSPC and the like are of the disk, and not of the connection.
    if (codeOf(error) !== null && error instanceof Error && "syscall" in error && error.syscall === "write") {
      throw error;
    }
  }
}
