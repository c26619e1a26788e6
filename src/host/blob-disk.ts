import { mkdir, open, readdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Levels of folders below the data folder that the runtime makes on its first start. */
const FOLDER_DEPTH = 3;
/** A reader waits (ms) for the bucket's database only while it is opened after a crash. This process is blocked meanwhile. */
const BUSY_MS = 100;

/** The folder of the databases of all local buckets, inside the folder of the buckets. */
const INDEX_FOLDER = "miniflare-R2BucketObject";
const METADATA = "metadata.sqlite";
/** Files of a blob: one, or those of its parts. */
const FILES = `SELECT blob_id AS file FROM _mf_objects WHERE key = ? AND blob_id IS NOT NULL
  UNION ALL SELECT blob_id FROM _mf_multipart_parts WHERE upload_id = ?`;

/**
 * Syncs blobs of the local bucket to disk. The bucket writes a blob to a temporary file, renames it, and leaves both to the
 * system, which may take half a minute: a power loss in between would lose the bytes of an acknowledged message. The databases
 * sync what they write. The bucket's own database names the files of a blob, so their folder need not be searched.
 */
export class BlobDisk {
  readonly #index: string;
  readonly #files: string;

  constructor(dataDir: string, bucket: string) {
    this.#index = path.join(dataDir, "r2", INDEX_FOLDER);
    this.#files = path.join(dataDir, "r2", bucket, "blobs");
  }

  /** Makes the folder before the runtime starts, so that it is synced with the other folders and not with the first blob. */
  async begin(): Promise<void> {
    await mkdir(this.#files, { recursive: true });
  }

  /**
   * Resolves when a stored blob is on the disk; throws if the bucket does not have it.
   *
   * @param upload id of the multipart upload that stored it; null for a blob in one piece.
   */
  async sync(key: string, upload: string | null): Promise<void> {
    const files = await this.#filesOf(key, upload);
    if (files.length === 0) throw new Error("The bucket has no such blob");
    for (const file of files) await syncPath(path.join(this.#files, file));
    await syncPath(this.#files);
  }

  async #filesOf(key: string, upload: string | null): Promise<string[]> {
    for (const name of await readdir(this.#index)) {
      if (!name.endsWith(".sqlite") || name === METADATA) continue;
      const index = new DatabaseSync(path.join(this.#index, name), { readOnly: true, timeout: BUSY_MS });
      try {
        const rows = index.prepare(FILES).all(key, upload);
        if (rows.length > 0) return rows.map(({ file }) => String(file));
      } finally {
        index.close();
      }
    }
    return [];
  }
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
