import { mkdir, open, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { fileOfKey } from "../lib/disk-key.ts";

/** Levels of folders below the data folder that the runtime makes on its first start. */
const FOLDER_DEPTH = 3;

/** A file that the runtime had not completed when it was killed. */
const UNFINISHED = /^\.[0-9a-f]{64}\.\d+\.\d+\.tmp$/;

/**
 * Syncs blobs to disk. The runtime writes a blob to a temporary file, renames it, and leaves both to the system, which may take
 * half a minute: a power loss in between would lose the bytes of an acknowledged message. The databases sync what they write.
 */
export class BlobDisk {
  readonly #files: string;

  constructor(dataDir: string, bucket: string) {
    this.#files = blobFolder(dataDir, bucket);
  }

  /**
   * Makes the folder before the runtime starts, so that it is synced with the other folders and not with the first blob. Removes
   * files that a killed runtime left incomplete.
   */
  async begin(): Promise<void> {
    await mkdir(this.#files, { recursive: true });
    for (const name of await readdir(this.#files))
      if (UNFINISHED.test(name)) await rm(path.join(this.#files, name), { force: true });
  }

  /** Resolves when a stored blob is on the disk; throws if there is no such blob. */
  async sync(key: string): Promise<void> {
    await syncPath(path.join(this.#files, fileOfKey(key)));
    await syncPath(this.#files);
  }
}

/** The folder of the files of all blobs of a bucket. */
export function blobFolder(dataDir: string, bucket: string): string {
  return path.join(dataDir, "r2", bucket, "blobs");
}

/** Syncs a folder and the folders below it, so that their entries survive a power loss. */
export async function syncFolders(folder: string, depth = FOLDER_DEPTH): Promise<void> {
  const entries = depth === 0 ? [] : await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) await syncFolders(path.join(folder, entry.name), depth - 1);
  }
  await syncPath(folder);
}

/** Syncs a file or the entries of a folder. */
export async function syncPath(file: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
