import { open, readdir } from "node:fs/promises";
import path from "node:path";

/** Folders below the data folder that the runtime makes on its first start. */
const FOLDER_DEPTH = 3;

/**
 * Brings what the local bucket has stored onto the disk. The bucket writes a blob beside its place and renames it, and leaves
 * both to the system, which may take half a minute: a power loss in between would leave an acknowledged message without its
 * bytes. The databases do sync what they write.
 */
export class BlobDisk {
  readonly #folder: string;
  /** Blobs that are on the disk; null before the first look. */
  #synced: Set<string> | null = null;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(dataDir: string, bucket: string) {
    this.#folder = path.join(dataDir, "r2", bucket, "blobs");
  }

  /** Takes the blobs that are there as they are, before the runtime starts: of those that were acknowledged each was synced. */
  async begin(): Promise<void> {
    this.#synced = new Set(await this.#blobs());
  }

  /** Resolves when every blob that was stored before the call is on the disk. Calls that come together share one look. */
  sync(): Promise<void> {
    this.#next ??= this.#running
      // Its own callers were told.
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#running = this.#sync();
        return this.#running;
      });
    return this.#next;
  }

  async #sync(): Promise<void> {
    const [blobs, known] = [await this.#blobs(), this.#synced];
    const fresh = blobs.filter((blob) => known?.has(blob) !== true);
    for (const blob of fresh) await syncPath(path.join(this.#folder, blob));
    if (fresh.length > 0) await syncPath(this.#folder);
    // The first blob makes the folder.
    if (known === null || known.size === 0) await syncPath(path.dirname(this.#folder));
    this.#synced = new Set(blobs);
  }

  async #blobs(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(nothingIfGone<string[]>([]));
    // What is still being written has a name with a dot.
    return names.filter((name) => !name.startsWith("."));
  }
}

/** Syncs a folder and those below it, so that what was made in them is found after a power loss. */
export async function syncFolders(folder: string, depth = FOLDER_DEPTH): Promise<void> {
  const entries = depth === 0 ? [] : await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) await syncFolders(path.join(folder, entry.name), depth - 1);
  }
  await syncPath(folder);
}

/** Syncs a file or the entries of a folder; one that was removed meanwhile needs it no more. */
export async function syncPath(file: string): Promise<void> {
  const handle = await open(file, "r").catch(nothingIfGone(null));
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

function nothingIfGone<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return nothing;
    throw error;
  };
}
