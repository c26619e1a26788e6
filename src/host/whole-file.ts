import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncPath } from "./blob-disk.ts";

/** Writes a file whole or not at all, readable for its owner alone. It is on disk when the promise resolves. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    await syncPath(path.dirname(file));
  } finally {
    await rm(draft, { force: true });
  }
}
