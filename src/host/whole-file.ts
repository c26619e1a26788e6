import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncPath } from "./blob-disk.ts";

/** Writes a file whole or not at all, readable for its owner alone. It is on disk when the promise resolves. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeSynced(draft, text, "wx");
    await rename(draft, file);
    await syncPath(path.dirname(file));
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Writes a file, readable for its owner alone, and syncs it to disk; the entry of its folder may not be on disk yet.
 *
 * @param flags `w` replaces a file of this name; `wx` rejects if there is one
 */
export async function writeSynced(
  file: string,
  contents: string | Uint8Array,
  flags: "w" | "wx",
): Promise<void> {
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(contents);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
