import { mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { syncFolders, syncPath } from "../blob-disk.ts";
import { readDataVersion, refuseNewerData, refuseNewerVersion } from "../data-version.ts";
import { lockDataDir } from "../lock.ts";
import { writeSynced } from "../whole-file.ts";
import {
  ALARMS_FILE,
  BUCKET_FOLDER,
  DIRECTORY_FOLDER,
  SECRETS_FILE,
  VERSION_FILE,
  namesIn,
} from "./data-folder.ts";
import { restoredBlobFile, writeBlobRows } from "./bucket.ts";
import { BackupError } from "./format.ts";
import type { BlobEntry, Entry, FileEntry } from "./format.ts";
import { filesOf, isDamage } from "./image.ts";
import { RESTORE_MARK } from "./mark.ts";
import { giveTo, ownerOfRestored, type Owner } from "./owner.ts";
import { listedAddresses, settle, unlistMissing, writeAlarms } from "./settle.ts";
import type { Alarm } from "./settle.ts";
import { parseBackupSettings, SETTINGS_FILE, writeSettings, type RestoredSetting } from "./settings.ts";
import { contentsOf, extract, versionOf } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";

const AT_ONCE = 3;
/** The end of the name of a restored database that is damaged. No server opens it. */
export const DAMAGED_SUFFIX = ".damaged";
/** The folder of restored settings, in the data folder. */
const RESTORED_SETTINGS = "restored-settings";
const PLAIN_FILES: ReadonlySet<string> = new Set([SECRETS_FILE, VERSION_FILE, SETTINGS_FILE]);

export interface RestoreOptions {
  snapshot: Snapshot;
  /** Absolute. No server may run on it. */
  dataDir: string;
  sendsAgain: boolean;
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

export interface RestoreResult {
  mailboxes: number;
  blobs: number;
  bytes: number;
  /** Recipients whose message may have been sent since the backup. */
  uncertain: number;
  /** Databases that were damaged at the backup already. They get another name, which no server opens; alarms are made anew. */
  damaged: string[];
  hasSecrets: boolean;
  /** The files of the settings that were restored; empty if the snapshot has none. */
  settings: RestoredSetting[];
}

/** Restores a snapshot into an empty folder. A mark in it keeps servers away until it is complete. */
export async function restore(options: RestoreOptions): Promise<RestoreResult> {
  const { snapshot, dataDir } = options;
  const version = await versionOf(snapshot);
  const [name, command] = [snapshot.repository.dir, "npm run server -- restore …"];
  if (version !== null) refuseNewerVersion(version, { name, command });
  refuseNewerData(dataDir);
  const owner = await ownerOfRestored(dataDir);
  const lock = lockDataDir(dataDir);
  try {
    return await new Run(options, version?.format ?? null).run(owner);
  } finally {
    lock.release();
  }
}

class Run {
  readonly #options: RestoreOptions;
  readonly #nowMs = Date.now();
  readonly #listed = new Set<string>();
  /** Alarms by the folder of their class. */
  readonly #alarms = new Map<string, Alarm[]>();
  readonly #result: RestoreResult = {
    mailboxes: 0,
    blobs: 0,
    bytes: 0,
    uncertain: 0,
    damaged: [],
    hasSecrets: false,
    settings: [],
  };

  /** The format of the data of the snapshot; null if it does not say. */
  readonly #format: number | null;
  /** The blobs of the snapshot. */
  readonly #blobs: ReadonlySet<string>;

  constructor(options: RestoreOptions, format: number | null) {
    this.#options = options;
    this.#format = format;
    const { entries } = options.snapshot.manifest;
    this.#blobs = new Set(entries.flatMap((entry) => (entry.kind === "blob" ? [entry.key] : [])));
  }

  /** @param owner gets the files; null: they stay this user's. */
  async run(owner: Owner | null): Promise<RestoreResult> {
    const { dataDir, snapshot } = this.#options;
    const { id } = snapshot.manifest.head;
    if ((await readMark(dataDir)) !== id) await this.#refuseUnlessEmpty();
    await writeSynced(path.join(dataDir, RESTORE_MARK), id, "w");
    await syncPath(dataDir);
    await this.#restoreEntries(snapshot.manifest.entries);
    if (owner !== null) await giveTo(owner, dataDir);
    await syncFolders(dataDir);
    await rm(path.join(dataDir, RESTORE_MARK));
    await syncPath(dataDir);
    return this.#result;
  }

  /** Refuses to overwrite existing data. Throws a {@link BackupError}. */
  async #refuseUnlessEmpty(): Promise<void> {
    const { dataDir } = this.#options;
    const other = await readMark(dataDir);
    if (other !== null)
      throw new BackupError(
        "usage",
        `${dataDir} holds an incomplete restore of ${other}: run that command again, or remove the folder`,
      );
    const folders = ["do", "r2"].map((name) => namesIn(path.join(dataDir, name)));
    if ((await Promise.all(folders)).flat().length > 0)
      throw new BackupError(
        "usage",
        `${dataDir} holds data: set DATA_DIR to an empty folder, or move the data away`,
      );
  }

  async #restoreEntries(entries: readonly Entry[]): Promise<void> {
    const files = entries.filter((entry) => entry.kind === "file");
    const blobs = entries.filter((entry) => entry.kind === "blob");
    const isSpecial = ({ path: file }: FileEntry): boolean =>
      file.endsWith(`/${ALARMS_FILE}`) || file.startsWith(`${BUCKET_FOLDER}/`) || PLAIN_FILES.has(file);
    const isDirectory = ({ path: file }: FileEntry): boolean => file.startsWith(`${DIRECTORY_FOLDER}/`);
    const objects = files.filter((entry) => !isSpecial(entry));
    const total = blobs.length + objects.length;
    let done = 0;
    const step = async <One extends Entry>(
      list: readonly One[],
      work: (one: One) => Promise<void>,
    ): Promise<void> => {
      await inParallel(list, async (one) => {
        this.#options.signal.throwIfAborted();
        await work(one);
        this.#result.bytes += one.size;
        done += 1;
        this.#options.onProgress(done, total);
      });
    };
    await step(blobs, (blob) => this.#restoreBlob(blob));
    await this.#restoreBucket(
      files.filter(({ path: file }) => file.startsWith(`${BUCKET_FOLDER}/`)),
      blobs,
    );
    const paths = new Set(files.map((entry) => entry.path));
    await step(objects.filter(isDirectory), (entry) => this.#restoreObject(entry, paths));
    await step(
      objects.filter((entry) => !isDirectory(entry)),
      (entry) => this.#restoreObject(entry, paths),
    );
    for (const entry of files.filter(
      (one) => one.path.endsWith(`/${ALARMS_FILE}`) && one.path.startsWith("do/"),
    ))
      await this.#restoreAlarms(entry);
    for (const entry of files.filter((one) => PLAIN_FILES.has(one.path))) await this.#restoreFile(entry);
  }

  async #restoreBlob(entry: BlobEntry): Promise<void> {
    const folder = path.join(this.#options.dataDir, "r2", entry.bucket, "blobs");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#extract(entry, path.join(folder, restoredBlobFile(entry)));
    this.#result.blobs += 1;
  }

  /** Restores the bucket's databases, with a row for each restored blob and no other. */
  async #restoreBucket(files: readonly FileEntry[], blobs: readonly BlobEntry[]): Promise<void> {
    for (const entry of files) {
      const file = path.join(this.#options.dataDir, entry.path);
      const isList = entry.path.endsWith(`/${ALARMS_FILE}`);
      await this.#extract(
        entry,
        file,
        isList ? undefined : (draft) => void writeBlobRows(draft, blobs, true),
      );
    }
  }

  async #restoreObject(entry: FileEntry, paths: ReadonlySet<string>): Promise<void> {
    const { dataDir, sendsAgain } = this.#options;
    await this.#extract(entry, path.join(dataDir, entry.path), (draft) => {
      unlistMissing(draft, entry.path, paths);
      if (entry.path.startsWith(`${DIRECTORY_FOLDER}/`))
        for (const address of listedAddresses(draft)) this.#listed.add(address);
      const { alarm, name, uncertain } = settle(draft, {
        path: entry.path,
        at: entry.at,
        nowMs: this.#nowMs,
        sendsAgain,
        isListed: (address) => this.#listed.has(address),
        hasBlob: (key) => this.#blobs.has(key),
      });
      this.#result.uncertain += uncertain;
      if (name !== null) this.#result.mailboxes += 1;
      if (alarm === null) return;
      const folder = path.posix.dirname(entry.path);
      const id = path.posix.basename(entry.path, ".sqlite");
      this.#alarms.set(folder, [
        ...(this.#alarms.get(folder) ?? []),
        { id, at: alarm, name: name ?? entry.name },
      ]);
    });
  }

  async #restoreAlarms(entry: FileEntry): Promise<void> {
    const file = path.join(this.#options.dataDir, entry.path);
    const alarms = this.#alarms.get(path.posix.dirname(entry.path)) ?? [];
    await this.#extract(entry, file, (draft) => writeAlarms(draft, alarms));
  }

  /**
   * Secrets that the folder has already stay: whoever put them there wants to keep them. So does the version of its data, unless
   * the snapshot's is newer.
   */
  async #restoreFile(entry: FileEntry): Promise<void> {
    const { dataDir } = this.#options;
    const file = path.join(dataDir, entry.path);
    if (entry.path === SETTINGS_FILE) return this.#restoreSettings(entry);
    if (entry.path === SECRETS_FILE) this.#result.hasSecrets = true;
    const isNewer =
      entry.path === VERSION_FILE && (this.#format ?? 0) > (readDataVersion(dataDir)?.format ?? 0);
    if (isNewer || (await filesOf(file)) === null) await this.#extract(entry, file);
  }

  /** The settings go into a folder of their own: the paths of the machine that was backed up may not exist here. */
  async #restoreSettings(entry: FileEntry): Promise<void> {
    const { dataDir, snapshot } = this.#options;
    const settings = parseBackupSettings((await contentsOf(snapshot, entry)).toString("utf8"));
    const folder = path.join(dataDir, RESTORED_SETTINGS);
    // An earlier run may have been interrupted, and a link in its place must not be followed.
    await rm(folder, { recursive: true, force: true });
    this.#result.settings = await writeSettings(settings, folder);
  }

  /**
   * Prepares a draft; false if it was damaged at the backup already, and is as it was then. Damaged alarms are made anew:
   * each object has its own alarm too.
   */
  async #prepare(entry: Entry, draft: string, prepare: (draft: string) => void): Promise<boolean> {
    try {
      prepare(draft);
      return true;
    } catch (error) {
      if (!isDamage(error) || entry.kind === "blob") throw error;
      this.#result.damaged.push(entry.path);
    }
    await removeDraft(draft);
    const isAlarms = entry.path.endsWith(`/${ALARMS_FILE}`);
    if (isAlarms) prepare(draft);
    else await extract(this.#options.snapshot, entry, draft);
    return isAlarms;
  }

  /** Writes the file of an entry whole or not at all, after `prepare` has worked on it. */
  async #extract(entry: Entry, file: string, prepare?: (draft: string) => void): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.restoring`;
    await removeDraft(draft);
    await extract(this.#options.snapshot, entry, draft);
    if (prepare !== undefined) {
      const isWhole = await this.#prepare(entry, draft, prepare);
      await syncPath(draft);
      // A server would open it as it is, and could send again what was waiting.
      if (!isWhole) return rename(draft, `${file}${DAMAGED_SUFFIX}`);
    }
    for (const suffix of ["-wal", "-shm"]) await rm(`${file}${suffix}`, { force: true });
    await rename(draft, file);
  }
}

async function removeDraft(draft: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(`${draft}${suffix}`, { force: true });
}

async function readMark(dataDir: string): Promise<string | null> {
  try {
    return await readFile(path.join(dataDir, RESTORE_MARK), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function inParallel<One>(list: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const waiting = list.values();
  const worker = async (): Promise<void> => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
