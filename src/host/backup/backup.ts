import path from "node:path";
import { isDiskKey } from "../../lib/disk-key.ts";
import { BucketReader, namedBlobs } from "./bucket.ts";
import type { StoredBlob } from "./bucket.ts";
import { ContentStore } from "./contents.ts";
import type { Counts } from "./contents.ts";
import { SECRETS_FILE, VERSION_FILE, listDataFolder, readAlarmNames } from "./data-folder.ts";
import {
  BackupError,
  FIRST_FORMAT,
  FORMAT,
  MAX_MANIFEST_BYTES,
  manifestText,
  newSnapshotId,
} from "./format.ts";
import type { BlobEntry, Entry, FileEntry } from "./format.ts";
import { isCutDatabase } from "../cut-database.ts";
import { DamagedDatabase, TakeAgain, filesOf, isEmptyDatabase, withImage } from "./image.ts";
import type { Image } from "./image.ts";
import type { Pace } from "./pace.ts";
import { withScratch } from "./scratch.ts";
import { SETTINGS_FILE, type BackedUpSettings } from "./settings.ts";
import type { Sealer } from "./seal.ts";
import type { BackupState } from "./state.ts";
import type { Target } from "./target.ts";

/** Databases that are read at the same time. While one waits for the disk, another is compressed. */
const AT_ONCE = 3;
/** After so many tries, a file that seems missing is so in the data folder, and was not just erased during the read. */
const MAX_MISSING_TRIES = 3;

export interface BackupOptions {
  /** Absolute. */
  dataDir: string;
  target: Target;
  sealer: Sealer;
  /** Changed by the run; stored by the caller after it. */
  state: BackupState;
  pace: Pace;
  /** The file of the one mailbox to back up, inside the data folder; null: everything. */
  only: string | null;
  /** The settings of the server, for an encrypted backup of everything; null: none. */
  settings: BackedUpSettings | null;
  /** Called after each database. */
  onProgress(done: number, total: number, counts: Counts): void;
}

export interface BackupResult {
  snapshot: string;
  mailboxes: number;
  /** Databases that did not change since the last run. */
  unchanged: number;
  counts: Counts;
  /** Blobs that a mailbox refers to and the data folder lacks. */
  missing: string[];
  /** Databases that SQLite cannot read. They are in the snapshot as they are. */
  damaged: string[];
  hasSecrets: boolean;
}

/** Writes one snapshot of a data folder, whose server may run. Rejects with a {@link BackupError} or an error of the file system. */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  return withScratch(options.dataDir, (scratch) => new Run(options, scratch).run());
}

class Run {
  readonly #options: BackupOptions;
  readonly #scratch: string;
  readonly #store: ContentStore;
  readonly #entries = new Map<string, FileEntry>();
  readonly #blobs = new Map<string, BlobEntry>();
  readonly #names = new Map<string, string>();
  readonly #missing = new Set<string>();
  readonly #damaged = new Set<string>();
  #bucket: BucketReader;
  #isBucketDamaged = false;
  #unchanged = 0;

  constructor(options: BackupOptions, scratch: string) {
    this.#options = options;
    this.#scratch = scratch;
    this.#store = new ContentStore(options.target, options.sealer, options.pace);
    this.#bucket = new BucketReader(options.dataDir, [], scratch);
  }

  async run(): Promise<BackupResult> {
    const { dataDir, only } = this.#options;
    const begunAt = new Date();
    const folder = await listDataFolder(dataDir);
    this.#bucket = new BucketReader(dataDir, folder.bucket, this.#scratch);
    await this.#nameObjects(folder.alarms);
    if (only !== null && !folder.objects.includes(only))
      throw new BackupError("usage", `--mailbox: ${dataDir} has no such mailbox`);
    await this.#takeObjects(only === null ? folder.objects : [only]);
    // The alarms are read after the objects, so that an object that got its alarm meanwhile has its name in them.
    await this.#nameObjects(folder.alarms);
    for (const file of [...folder.alarms, ...folder.bucket]) await this.#takeDatabase(file);
    // Secrets are part of encrypted backups only.
    const hasSecrets =
      only === null && this.#options.sealer.nameKey !== null && (await this.#takeFile(SECRETS_FILE));
    await this.#takeFile(VERSION_FILE);
    await this.#takeSettings();
    return this.#commit(begunAt, hasSecrets);
  }

  /** Learns the names of objects from their alarms. */
  async #nameObjects(alarms: readonly string[]): Promise<void> {
    const { dataDir } = this.#options;
    for (const file of alarms)
      await this.#unlessDamaged(() => readAlarmNames(dataDir, [file], this.#scratch, this.#names));
  }

  /** Does `work` and resolves to its result; null if a database that it reads is damaged, which is noted. */
  async #unlessDamaged<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DamagedDatabase)) throw error;
      this.#damaged.add(path.relative(this.#options.dataDir, error.file));
      return null;
    }
  }

  async #takeObjects(files: readonly string[]): Promise<void> {
    const waiting = files.entries();
    let done = 0;
    const worker = async (): Promise<void> => {
      for (const [, file] of waiting) {
        await this.#options.pace.spend(0);
        await this.#takeDatabase(file);
        done += 1;
        this.#options.onProgress(done, files.length, this.#store.counts);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /** Adds a database to the snapshot, with the blobs that it names. An unchanged one costs two calls of `stat`. */
  async #takeDatabase(file: string): Promise<void> {
    const { dataDir, state } = this.#options;
    const full = path.join(dataDir, file);
    const files = await filesOf(full);
    // A database that was cut off is damaged, and the snapshot says so.
    if (files === null || (isEmptyDatabase(files) && !isCutDatabase(full))) return;
    const before = state.files[file];
    if (before !== undefined && before.signature === files.signature && this.#takeAsBefore(before.entry)) {
      this.#unchanged += 1;
      return;
    }
    let tries = 0;
    const taken = await this.#unlessDamaged(() =>
      withImage(full, this.#scratch, (image) => {
        tries += 1;
        return this.#takeImage(file, image, tries);
      }),
    );
    if (taken === null) {
      delete state.files[file];
      if (this.#damaged.has(file)) await this.#takeFile(file);
      return;
    }
    const { result: entry, signature } = taken;
    this.#entries.set(file, entry);
    if (signature === null || this.#damaged.has(file)) delete state.files[file];
    else state.files[file] = { signature, entry };
  }

  /** Reuses an entry of the last run, if its chunks and its blobs are still in the backup. */
  #takeAsBefore(entry: FileEntry): boolean {
    if (!this.#store.hasAll(entry)) return false;
    const blobs = (entry.blobs ?? []).map((key) => this.#options.state.blobs[key]);
    const found = blobs.filter((blob) => blob !== undefined && this.#store.hasAll(blob));
    if (found.length < blobs.length) return false;
    this.#entries.set(entry.path, entry);
    for (const blob of found) if (blob !== undefined) this.#blobs.set(blob.key, blob);
    return true;
  }

  async #takeImage(file: string, image: Image, tries: number): Promise<FileEntry> {
    const contents = await this.#store.store([image.path]);
    const keys = blobsOf(image);
    for (const key of keys) {
      if (await this.#takeBlob(key)) continue;
      // The blob was erased after the image was read, and a new image no longer refers to it; or the data folder lacks it.
      if (tries < MAX_MISSING_TRIES && !this.#isBucketDamaged) throw new TakeAgain(key);
      this.#missing.add(key);
    }
    const blobs = keys.length > 0 ? { blobs: keys } : {};
    return { kind: "file", path: file, at: image.at.toISOString(), ...contents, name: null, ...blobs };
  }

  /** Adds a blob to the snapshot; false if it is gone. */
  async #takeBlob(key: string): Promise<boolean> {
    if (this.#blobs.has(key)) return true;
    const { state } = this.#options;
    const before = state.blobs[key];
    if (before !== undefined && this.#store.hasAll(before)) {
      this.#blobs.set(key, before);
      return true;
    }
    const blob = await this.#findBlob(key);
    const place = blob === null ? null : await this.#bucket.filesOf(blob);
    if (blob === null || place === null) return false;
    let contents;
    try {
      contents = await this.#store.store(place.paths);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
    if (contents.size !== blob.size) return false;
    const entry: BlobEntry = { kind: "blob", bucket: place.bucket, key, ...contents, row: blob.row };
    this.#blobs.set(key, entry);
    state.blobs[key] = entry;
    return true;
  }

  /** Null if there is no such blob, or if the bucket has it and its database is damaged. */
  async #findBlob(key: string): Promise<StoredBlob | null> {
    if (isDiskKey(key)) return this.#bucket.find(key);
    if (this.#isBucketDamaged) return null;
    const found = await this.#unlessDamaged(async () => ({ blob: await this.#bucket.find(key) }));
    if (found === null) this.#isBucketDamaged = true;
    return found?.blob ?? null;
  }

  /** Adds a file as it is; false if the data folder has none of this name. */
  async #takeFile(name: string): Promise<boolean> {
    try {
      const contents = await this.#store.store([path.join(this.#options.dataDir, name)]);
      const at = new Date().toISOString();
      this.#entries.set(name, { kind: "file", path: name, at, ...contents, name: null });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  async #takeSettings(): Promise<void> {
    const { settings, only, sealer } = this.#options;
    if (settings === null || only !== null || sealer.nameKey === null) return;
    const contents = await this.#store.storeBytes(Buffer.from(JSON.stringify(settings)));
    const at = new Date().toISOString();
    this.#entries.set(SETTINGS_FILE, { kind: "file", path: SETTINGS_FILE, at, ...contents, name: null });
  }

  async #commit(begunAt: Date, hasSecrets: boolean): Promise<BackupResult> {
    const { target, sealer, state, only } = this.#options;
    const id = newSnapshotId(begunAt, only === null ? "all" : "one");
    const entries: Entry[] = [
      ...[...this.#entries.values()].map((entry) => ({
        ...entry,
        name: this.#names.get(entry.path) ?? null,
      })),
      ...this.#blobs.values(),
    ];
    const head = {
      kind: "snapshot",
      format: this.#entries.has(SETTINGS_FILE) ? FORMAT : FIRST_FORMAT,
      id,
      begun_at: begunAt.toISOString(),
      name_key: sealer.nameKey,
    } as const;
    const text = Buffer.from(manifestText({ head, entries }));
    if (text.byteLength > MAX_MANIFEST_BYTES)
      throw new BackupError(
        "failed",
        "The manifest would be larger than the format allows: back up single mailboxes with --mailbox ADDRESS",
      );
    const chunks = new Set(entries.flatMap((entry) => entry.chunks));
    await target.commit({ id, manifest: await sealer.seal(text), chunks });
    if (only === null) this.#forget(state);
    return {
      snapshot: id,
      mailboxes: entries.filter(
        (entry) =>
          entry.kind === "file" &&
          entry.path.includes("-Mailbox/") &&
          !entry.path.endsWith("/metadata.sqlite"),
      ).length,
      unchanged: this.#unchanged,
      counts: this.#store.counts,
      missing: [...this.#missing],
      damaged: [...this.#damaged],
      hasSecrets,
    };
  }

  /** Removes what no longer exists from the state. */
  #forget(state: BackupState): void {
    for (const file of Object.keys(state.files)) if (!this.#entries.has(file)) delete state.files[file];
    for (const key of Object.keys(state.blobs)) if (!this.#blobs.has(key)) delete state.blobs[key];
  }
}

/** The keys of the blobs that an image names. */
function blobsOf(image: Image): string[] {
  const database = image.open();
  try {
    return namedBlobs(database);
  } finally {
    database.close();
  }
}
