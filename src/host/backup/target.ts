import type { Sealer } from "./seal.ts";

/** Where a backup is written: a folder, or a stream. */
export interface Target {
  /** Whether it has a chunk of this name. */
  has(name: string): boolean;
  /** Stores a chunk that it lacks. */
  put(name: string, sealed: Uint8Array): Promise<void>;
  /** Stores manifest and list: from now on the snapshot exists. `chunks` are the names of all that it needs. */
  commit(snapshot: { id: string; manifest: Uint8Array; chunks: ReadonlySet<string> }): Promise<void>;
}

/** Reads the files of a backup by their paths. */
export interface Source {
  /** A name for messages. */
  readonly name: string;
  read(file: string): Promise<Buffer>;
}

/** The text of a list, as `sha256sum` writes and checks it. */
export function listText(hashes: ReadonlyMap<string, string>): string {
  return [...hashes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, hash]) => `${hash}  ${file}\n`)
    .join("");
}

/** The path of a manifest. */
export function manifestPath(id: string, suffix: Sealer["suffix"]): string {
  return `snapshots/${id}.jsonl${suffix}`;
}
