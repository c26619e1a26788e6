import { randomBytes } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncPath } from "../blob-disk.ts";
import { writeSynced } from "../whole-file.ts";
import {
  BackupError,
  FIRST_FORMAT,
  HEADER_FILE,
  LIST_SUFFIX,
  SNAPSHOT_ID,
  broken,
  chunkPath,
  readHeader,
} from "./format.ts";
import type { Header } from "./format.ts";
import { README } from "./readme.ts";
import type { Pace } from "./pace.ts";
import { RunLock, STALE_MS } from "./run-lock.ts";
import { sha256 } from "./seal.ts";
import { listText, manifestPath } from "./target.ts";
import type { Source, Target } from "./target.ts";

const CHUNK_FILE = /^([0-9a-f]{64})\.gz(?:\.age)?$/;
const LIST_LINE = /^([0-9a-f]{64}) {2}((?:chunks\/[0-9a-f]{2}|snapshots)\/[0-9A-Za-z.-]{1,128})$/;
const LOCK_FILE = "backup.lock";
/** Beside `tmp`, which whoever has the lock empties. */
const LOCK_DRAFTS = "locks";
const MINUTE_MS = 60_000;
/**
 * Stored bytes that each run reads to find damaged chunks, from a random place on in a larger backup: reading 10 GB would make a run
 * without changes take as long as `verify`.
 */
const MAX_CHECKED_BYTES = 1_073_741_824;

/** A folder with snapshots and their chunks. Every file appears whole or not at all, and a list is written last. */
export class Repository implements Source {
  readonly dir: string;
  readonly header: Header;
  #lock: RunLock | null = null;

  private constructor(dir: string, header: Header) {
    this.dir = dir;
    this.header = header;
  }

  get name(): string {
    return this.dir;
  }

  /** The suffix of file names: `.gz`, or `.gz.age` if the backup is encrypted. */
  get suffix(): string {
    return this.header.encrypted ? ".gz.age" : ".gz";
  }

  /** Opens a backup folder. Throws a {@link BackupError}. */
  static async open(dir: string): Promise<Repository> {
    const file = path.join(dir, HEADER_FILE);
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch {
      throw new BackupError("usage", `${dir} is no backup: it has no ${HEADER_FILE} that can be read`);
    }
    return new Repository(dir, readHeader(text, file));
  }

  /** Opens the backup folder, or creates a backup in a folder that is empty or missing. */
  static async openOrMake(dir: string, isEncrypted: boolean): Promise<Repository> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const names = await readdir(dir);
    // A first run that was killed leaves the temporary folder and the lock.
    const isNew = names.every((name) => ["tmp", LOCK_FILE, LOCK_DRAFTS, "README.txt"].includes(name));
    if (!isNew) {
      const repository = await Repository.open(dir);
      if (repository.header.encrypted === isEncrypted) return repository;
      throw new BackupError(
        "usage",
        isEncrypted
          ? `${dir} holds a backup that is not encrypted: give another folder for --recipient`
          : `${dir} holds an encrypted backup: give --recipient, or another folder`,
      );
    }
    const header: Header = {
      mailkeep_backup: FIRST_FORMAT,
      id: randomBytes(16).toString("hex"),
      encrypted: isEncrypted,
      made_at: new Date().toISOString(),
    };
    const repository = new Repository(dir, header);
    await repository.write("README.txt", Buffer.from(README));
    await repository.write(HEADER_FILE, Buffer.from(`${JSON.stringify(header, null, 2)}\n`));
    return repository;
  }

  /** Locks the folder for this process and removes what a killed one left behind. Resolves to the release. */
  async lock(): Promise<() => Promise<void>> {
    const file = path.join(this.dir, LOCK_FILE);
    const drafts = path.join(this.dir, LOCK_DRAFTS);
    await mkdir(drafts, { recursive: true, mode: 0o700 });
    const lock = await RunLock.take(file, drafts);
    if (lock === null)
      throw new BackupError(
        "failed",
        `Another backup is writing to ${this.dir}: wait for it. If none runs, the lock of a killed one on another machine or in another container ends within ${STALE_MS / MINUTE_MS} minutes`,
      );
    try {
      // Two first runs at the same moment make a header each, and the later one stays.
      if ((await Repository.open(this.dir)).header.id !== this.header.id)
        throw new BackupError("failed", `Another backup has just made ${this.dir}: run the backup again`);
      await rm(path.join(this.dir, "tmp"), { recursive: true, force: true });
    } catch (error) {
      await lock.release();
      throw error;
    }
    this.#lock = lock;
    return async () => {
      this.#lock = null;
      await lock.release();
    };
  }

  /** Throws a {@link BackupError} if this process had the lock and another has taken it over. */
  async expectLock(): Promise<void> {
    if (this.#lock === null || (await this.#lock.isKept())) return;
    throw new BackupError(
      "failed",
      `Another backup took ${this.dir} over while this one stood still: run the backup again`,
    );
  }

  /** Reads a file of the backup. Throws a {@link BackupError} if it is missing. */
  async read(file: string): Promise<Buffer> {
    try {
      return await readFile(path.join(this.dir, file));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") throw broken(path.join(this.dir, file), "it is missing");
      throw error;
    }
  }

  /** Writes a file whole or not at all. The entry of its folder is synced by `commit`. */
  async write(file: string, bytes: Uint8Array): Promise<void> {
    const final = path.join(this.dir, file);
    const draft = path.join(this.dir, "tmp", randomBytes(8).toString("hex"));
    await mkdir(path.dirname(draft), { recursive: true, mode: 0o700 });
    await mkdir(path.dirname(final), { recursive: true, mode: 0o700 });
    await writeSynced(draft, bytes, "wx");
    await rename(draft, final);
  }

  /** The ids of complete snapshots, oldest first. */
  async snapshots(): Promise<string[]> {
    return (await namesIn(path.join(this.dir, "snapshots")))
      .filter((name) => name.endsWith(LIST_SUFFIX))
      .map((name) => name.slice(0, -LIST_SUFFIX.length))
      .filter((id) => SNAPSHOT_ID.test(id))
      .toSorted();
  }

  /** The names of all chunks that lie in the folder. */
  async chunks(): Promise<Set<string>> {
    const found = new Set<string>();
    const folder = path.join(this.dir, "chunks");
    for (const part of await namesIn(folder)) {
      for (const name of await namesIn(path.join(folder, part))) {
        const [, chunk] = CHUNK_FILE.exec(name) ?? [];
        if (chunk !== undefined) found.add(chunk);
      }
    }
    return found;
  }

  /** The list of a snapshot: the SHA-256 of each of its files, by path. Throws a {@link BackupError}. */
  async list(id: string): Promise<Map<string, string>> {
    const file = `snapshots/${id}${LIST_SUFFIX}`;
    return readList((await this.read(file)).toString("utf8"), path.join(this.dir, file));
  }

  /** Removes all but the newest `keep` snapshots of all mailboxes, then the chunks that no snapshot needs. */
  async prune(keep: number): Promise<{ snapshots: number; chunks: number }> {
    await this.expectLock();
    const all = await this.snapshots();
    const complete = all.filter((id) => id.endsWith("-all"));
    const old = complete.slice(0, Math.max(0, complete.length - keep));
    for (const id of old) {
      // Without its list the snapshot no longer exists; a kill in between leaves files that the next run removes.
      await rm(path.join(this.dir, `snapshots/${id}${LIST_SUFFIX}`));
    }
    if (old.length > 0) await syncPath(path.join(this.dir, "snapshots"));
    return { snapshots: old.length, chunks: await this.#sweep() };
  }

  async #sweep(): Promise<number> {
    const needed = new Set<string>();
    for (const id of await this.snapshots()) {
      needed.add(`${id}${LIST_SUFFIX}`);
      for (const file of (await this.list(id)).keys()) needed.add(path.posix.basename(file));
    }
    for (const name of await namesIn(path.join(this.dir, "snapshots"))) {
      if (!needed.has(name)) await rm(path.join(this.dir, "snapshots", name));
    }
    let removed = 0;
    for (const part of await namesIn(path.join(this.dir, "chunks"))) {
      for (const name of await namesIn(path.join(this.dir, "chunks", part))) {
        if (needed.has(name) || !CHUNK_FILE.test(name)) continue;
        await rm(path.join(this.dir, "chunks", part, name));
        removed += 1;
      }
    }
    return removed;
  }
}

/** A {@link Repository} as the place of a new snapshot. */
export class RepositoryTarget implements Target {
  readonly #repository: Repository;
  readonly #known: Set<string>;
  /** SHA-256 of stored files that are known without reading them, by path. */
  readonly #hashes: Map<string, string>;
  readonly #folders = new Set<string>();
  /** Paths of stored chunks that were found damaged. A run that needs one writes it again. */
  readonly damaged: string[] = [];

  private constructor(repository: Repository, known: Set<string>, hashes: Map<string, string>) {
    this.#repository = repository;
    this.#known = known;
    this.#hashes = hashes;
  }

  static async open(repository: Repository, pace: Pace | null = null): Promise<RepositoryTarget> {
    const ids = await repository.snapshots();
    const hashes = new Map<string, string>();
    // The newest snapshot of all mailboxes and those after it name nearly all chunks. Any other hash is computed.
    for (const id of ids.slice(
      Math.max(
        0,
        ids.findLastIndex((one) => one.endsWith("-all")),
      ),
    )) {
      const list = await repository.list(id).catch((error: unknown) => {
        if (error instanceof BackupError) return new Map<string, string>();
        throw error;
      });
      for (const [file, hash] of list) hashes.set(file, hash);
    }
    const target = new RepositoryTarget(repository, await repository.chunks(), hashes);
    await target.#forgetDamaged(pace);
    return target;
  }

  /** Compares stored chunks with the lists, so that no new snapshot relies on one that the disk has damaged since. */
  async #forgetDamaged(pace: Pace | null): Promise<void> {
    const names = [...this.#known].toSorted();
    const start = Math.floor(Math.random() * names.length);
    let left = MAX_CHECKED_BYTES;
    for (const name of [...names.slice(start), ...names.slice(0, start)]) {
      const file = chunkPath(name, this.#repository.suffix);
      const hash = this.#hashes.get(file);
      if (hash === undefined) continue;
      const stored = await this.#repository.read(file).catch(unreadable);
      left -= stored?.byteLength ?? 0;
      if (stored === null || sha256(stored) !== hash) {
        this.#known.delete(name);
        this.damaged.push(file);
      }
      if (left <= 0) return;
      await pace?.spend(stored?.byteLength ?? 0);
    }
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  async put(name: string, sealed: Uint8Array): Promise<void> {
    const file = chunkPath(name, this.#repository.suffix);
    // Another part of this run may be writing the same contents.
    this.#known.add(name);
    this.#hashes.set(file, sha256(sealed));
    this.#folders.add(path.dirname(file));
    await this.#repository.write(file, sealed);
  }

  async commit({ id, manifest, chunks }: Parameters<Target["commit"]>[0]): Promise<void> {
    const { dir, suffix } = this.#repository;
    const list = new Map<string, string>();
    const present = await this.#repository.chunks();
    for (const name of chunks) {
      const file = chunkPath(name, suffix);
      if (!present.has(name))
        throw new BackupError(
          "failed",
          `${path.join(dir, file)} was removed while this backup ran: run the backup again`,
        );
      list.set(file, this.#hashes.get(file) ?? sha256(await this.#repository.read(file)));
      this.#folders.add(path.dirname(file));
    }
    const file = manifestPath(id, suffix);
    await this.#repository.write(file, manifest);
    list.set(file, sha256(manifest));
    for (const folder of [...this.#folders, "chunks", "snapshots", ""]) {
      await mkdir(path.join(dir, folder), { recursive: true, mode: 0o700 });
      await syncPath(path.join(dir, folder));
    }
    await this.#repository.expectLock();
    await this.#repository.write(`snapshots/${id}${LIST_SUFFIX}`, Buffer.from(listText(list)));
    await syncPath(path.join(dir, "snapshots"));
  }
}

/** Reads a list, which may be damaged or hostile. Throws a {@link BackupError} that names the line. */
export function readList(text: string, where: string): Map<string, string> {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw broken(where, "it is cut off");
  return new Map(
    lines.map((line, at) => {
      const [, hash = "", file = ""] = LIST_LINE.exec(line) ?? [];
      if (hash === "")
        throw broken(
          where,
          `line ${at + 1} is not a hash and a path of a backup; remove this file to give the snapshot up`,
        );
      return [file, hash];
    }),
  );
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Null for a file that is gone or that the disk cannot read; other errors are thrown. */
function unreadable(error: unknown): null {
  if (error instanceof BackupError || (error as NodeJS.ErrnoException).code === "EIO") return null;
  throw error;
}
