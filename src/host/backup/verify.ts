import path from "node:path";
import { BackupError, CHUNK_BYTES, nameOfEntry } from "./format.ts";
import type { Repository } from "./repository.ts";
import { chunkName, sha256 } from "./seal.ts";
import type { Opener } from "./seal.ts";
import { readSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";

/** The result of a check. */
export interface Verified {
  snapshots: number;
  files: number;
  bytes: number;
  /** Whether contents were unpacked and compared with their names; false: only the stored bytes were. */
  isOpened: boolean;
  /** One line for each fault. */
  faults: string[];
}

export interface VerifyOptions {
  repository: Repository;
  /** Null: the backup is encrypted, and there is no identity. */
  opener: Opener | null;
  /** Ids of the snapshots to check. */
  snapshots: readonly string[];
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** Checks snapshots without restoring them: every file is there and has its bytes, and the manifests match the chunks. */
export async function verify(options: VerifyOptions): Promise<Verified> {
  const { repository, opener, snapshots, signal } = options;
  const faults: string[] = [];
  const attempt = async (work: () => Promise<string | null>): Promise<void> => {
    signal.throwIfAborted();
    try {
      const fault = await work();
      if (fault !== null) faults.push(fault);
    } catch (error) {
      faults.push(faultOf(error));
    }
  };
  const hashes = new Map<string, Set<string>>();
  const readable: Snapshot[] = [];
  for (const id of snapshots) {
    await attempt(async () => {
      for (const [file, hash] of await repository.list(id))
        hashes.set(file, (hashes.get(file) ?? new Set()).add(hash));
      if (opener !== null) readable.push(await readSnapshot(repository, id, opener));
      return null;
    });
  }
  const check = new FileCheck(repository, opener, [
    ...new Set(readable.map(({ manifest }) => manifest.head.name_key)),
  ]);
  let done = 0;
  for (const [file, wanted] of hashes) {
    await attempt(() => check.of(file, wanted));
    done += 1;
    options.onProgress(done, hashes.size);
  }
  if (faults.length === 0) for (const snapshot of readable) faults.push(...sizeFaults(snapshot, check.sizes));
  const { bytes } = check;
  return { snapshots: snapshots.length, files: hashes.size, bytes, isOpened: opener !== null, faults };
}

/** Checks stored files one by one. */
class FileCheck {
  bytes = 0;
  /** Sizes of the contents of chunks, by name. */
  readonly sizes = new Map<string, number>();
  readonly #repository: Repository;
  readonly #opener: Opener | null;
  readonly #nameKeys: readonly (string | null)[];

  constructor(repository: Repository, opener: Opener | null, nameKeys: readonly (string | null)[]) {
    this.#repository = repository;
    this.#opener = opener;
    this.#nameKeys = nameKeys;
  }

  /** A line about the fault of a stored file; null if it has the hashes that the lists name. */
  async of(file: string, wanted: ReadonlySet<string>): Promise<string | null> {
    const where = path.join(this.#repository.dir, file);
    const stored = await this.#repository.read(file);
    this.bytes += stored.byteLength;
    if (wanted.size !== 1 || !wanted.has(sha256(stored)))
      return `${where}: it has not the bytes that were written`;
    if (this.#opener === null || !file.startsWith("chunks/")) return null;
    const content = await this.#opener.open(stored, CHUNK_BYTES, where);
    const [name = ""] = path.posix.basename(file).split(".");
    if (!this.#nameKeys.some((key) => chunkName(content, key) === name))
      return `${where}: its contents are not those that its name stands for`;
    this.sizes.set(name, content.byteLength);
    return null;
  }
}

/** Every file of a snapshot has the size that its chunks have together. */
function sizeFaults({ repository, manifest }: Snapshot, sizes: ReadonlyMap<string, number>): string[] {
  return manifest.entries
    .filter(({ chunks, size }) => chunks.reduce((sum, name) => sum + (sizes.get(name) ?? NaN), 0) !== size)
    .map(
      (entry) =>
        `${repository.dir}, ${manifest.head.id}: ${nameOfEntry(entry)} has another size than its chunks`,
    );
}

/** The line for a {@link BackupError}; other errors are thrown. */
function faultOf(error: unknown): string {
  if (error instanceof BackupError && error.kind === "broken") return error.message;
  if (error instanceof Error && "code" in error && error.code === "EIO") return error.message;
  throw error;
}
