import { createHash } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import path from "node:path";
import { parseDataVersion } from "../data-version.ts";
import type { DataVersion } from "../data-version.ts";
import { VERSION_FILE } from "./data-folder.ts";
import {
  CHUNK_BYTES,
  BackupError,
  MAX_MANIFEST_BYTES,
  broken,
  chunkPath,
  nameOfEntry,
  readManifest,
} from "./format.ts";
import type { Entry, Manifest } from "./format.ts";
import type { Repository } from "./repository.ts";
import { PLAIN_OPENER, ageOpener, chunkName, sha256 } from "./seal.ts";
import type { Opener } from "./seal.ts";
import { manifestPath } from "./target.ts";

/** A snapshot that can be read: its manifest is checked against its list. */
export interface Snapshot {
  repository: Repository;
  opener: Opener;
  manifest: Manifest;
  /** SHA-256 of its files, by path. */
  list: ReadonlyMap<string, string>;
}

/** The opener for a backup; null if it is encrypted and there is no identity file. */
export async function openerFor(repository: Repository, identity: string | null): Promise<Opener | null> {
  if (!repository.header.encrypted) return PLAIN_OPENER;
  if (identity === null) return null;
  let text: string;
  try {
    text = await readFile(identity, "utf8");
  } catch {
    throw new BackupError(
      "usage",
      `--identity ${identity}: the file cannot be read; give the identity file of age`,
    );
  }
  return ageOpener(text, identity);
}

/** Reads list and manifest of a snapshot. Throws a {@link BackupError} that names the damaged file. */
export async function readSnapshot(repository: Repository, id: string, opener: Opener): Promise<Snapshot> {
  const list = await repository.list(id);
  const file = manifestPath(id, repository.suffix);
  const where = path.join(repository.dir, file);
  const sealed = await repository.read(file);
  if (list.get(file) !== sha256(sealed)) throw broken(where, "it has not the bytes that were written");
  const text = await opener.open(sealed, MAX_MANIFEST_BYTES, where);
  const manifest = readManifest(Buffer.from(text).toString("utf8"), where);
  for (const name of new Set(manifest.entries.flatMap(({ chunks }) => chunks))) {
    if (!list.has(chunkPath(name, repository.suffix)))
      throw broken(where, `it names a chunk that its list lacks: ${name}`);
  }
  return { repository, opener, manifest, list };
}

/** Reads a chunk and compares its contents with its name. Throws a {@link BackupError} that names the file. */
export async function readChunk(
  { repository, opener, manifest: { head } }: Pick<Snapshot, "repository" | "opener" | "manifest">,
  name: string,
): Promise<Uint8Array> {
  const file = chunkPath(name, repository.suffix);
  const where = path.join(repository.dir, file);
  const content = await opener.open(await repository.read(file), CHUNK_BYTES, where);
  if (chunkName(content, head.name_key) !== name)
    throw broken(where, "its contents are not those that its name stands for");
  return content;
}

/** Writes the contents of an entry to a new file, syncs it, and compares size and SHA-256. */
export async function extract(snapshot: Snapshot, entry: Entry, file: string): Promise<void> {
  const whole = createHash("sha256");
  let size = 0;
  const handle = await open(file, "w", 0o600);
  try {
    for (const name of entry.chunks) {
      const content = await readChunk(snapshot, name);
      whole.update(content);
      size += content.byteLength;
      await handle.writeFile(content);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (size !== entry.size || whole.digest("hex") !== entry.sha256) throw brokenEntry(entry);
}

/** The contents of a small entry, compared with its SHA-256. */
export async function contentsOf(snapshot: Snapshot, entry: Entry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (const name of entry.chunks) chunks.push(await readChunk(snapshot, name));
  const contents = Buffer.concat(chunks);
  if (contents.byteLength !== entry.size || sha256(contents) !== entry.sha256) throw brokenEntry(entry);
  return contents;
}

function brokenEntry(entry: Entry): BackupError {
  return broken(nameOfEntry(entry), "its contents are not those that the manifest stands for");
}

/** The version that wrote the data of a snapshot; null where it does not say. */
export async function versionOf(snapshot: Snapshot): Promise<DataVersion | null> {
  const entry = snapshot.manifest.entries.find((one) => one.kind === "file" && one.path === VERSION_FILE);
  const [chunk, ...others] = entry?.chunks ?? [];
  if (chunk === undefined || others.length > 0) return null;
  return parseDataVersion(Buffer.from(await readChunk(snapshot, chunk)).toString("utf8"));
}
