import { mkdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { syncPath } from "../blob-disk.ts";
import { isCutDatabase } from "../cut-database.ts";
import { readDataVersion, refuseNewerData, refuseNewerVersion } from "../data-version.ts";
import type { DataVersion } from "../data-version.ts";
import { restoredBlobFile, writeBlobRows } from "./bucket.ts";
import { ALARMS_FILE, BUCKET_FOLDER, VERSION_FILE, rowsOf } from "./data-folder.ts";
import { BackupError } from "./format.ts";
import type { BlobEntry, Entry, FileEntry } from "./format.ts";
import { DamagedDatabase, filesOf, isDamage, isEmptyDatabase, withImage } from "./image.ts";
import { STAGED_MAILBOX, STAGING_FOLDER, isSwapBegun, writePlan } from "./mailbox-swap.ts";
import type { SwapPlan } from "./mailbox-swap.ts";
import { refuseHalfRestored } from "./mark.ts";
import type { RestoreResult } from "./restore.ts";
import { RunLock } from "./run-lock.ts";
import { settle } from "./settle.ts";
import { extract, versionOf } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { STATE_FOLDER } from "./state.ts";

const LOCK_FILE = "restore.lock";

export interface MailboxRestoreOptions {
  snapshot: Snapshot;
  /** Absolute. A server may run on it. */
  dataDir: string;
  /** The path of the mailbox's database in a data folder. */
  mailbox: string;
  /** Whether a mailbox that is there is replaced; otherwise it is refused. */
  replaces: boolean;
  /** Whether messages that were waiting may be sent, because nothing was sent after the backup. */
  sendsAgain: boolean;
  signal: AbortSignal;
  onProgress: (done: number, total: number) => void;
  /** Puts the prepared files in place while no workerd runs: this process, or the server that runs. */
  swap: () => Promise<void>;
}

/**
 * Restores one mailbox. Everything is prepared beside the data, and then swapped in at once: a kill at any moment leaves the old
 * mailbox or the restored one. Throws a {@link BackupError} or a `Refusal`.
 */
export async function restoreMailbox(options: MailboxRestoreOptions): Promise<RestoreResult> {
  const { dataDir } = options;
  await refuseRoot(dataDir);
  const version = await versionOf(options.snapshot);
  if (version !== null)
    refuseNewerVersion(version, {
      name: options.snapshot.repository.dir,
      command: "npm run server -- restore …",
    });
  refuseNewerData(dataDir);
  refuseHalfRestored(dataDir);
  const state = path.join(dataDir, STATE_FOLDER);
  await makeFolder(dataDir, STATE_FOLDER);
  const lock = await RunLock.take(path.join(state, LOCK_FILE), state);
  if (lock === null)
    throw new BackupError(
      "failed",
      `Another restore of a mailbox into ${dataDir} runs: wait until it has ended`,
    );
  try {
    return await new Preparation(options, version).run();
  } finally {
    await lock.release();
  }
}

class Preparation {
  readonly #options: MailboxRestoreOptions;
  readonly #version: DataVersion | null;
  readonly #folder: string;
  readonly #entry: FileEntry;
  readonly #blobs: readonly BlobEntry[];
  #done = 0;

  constructor(options: MailboxRestoreOptions, version: DataVersion | null) {
    const { entries, head } = options.snapshot.manifest;
    const entry = entries.find((one) => one.kind === "file" && one.path === options.mailbox);
    if (entry?.kind !== "file")
      throw new BackupError(
        "usage",
        `--mailbox: the snapshot ${head.id} has no such mailbox; --snapshot ID chooses another one`,
      );
    const keys = new Set(entry.blobs);
    this.#options = options;
    this.#version = version;
    this.#folder = path.join(options.dataDir, STAGING_FOLDER);
    this.#entry = entry;
    this.#blobs = entries.filter((one) => one.kind === "blob" && keys.has(one.key)) as BlobEntry[];
  }

  async run(): Promise<RestoreResult> {
    const { dataDir, mailbox, swap } = this.#options;
    if (isSwapBegun(dataDir))
      throw new BackupError(
        "failed",
        `${dataDir} has a restore that is not complete: start the server again, which completes it`,
      );
    await rm(this.#folder, { recursive: true, force: true });
    await makeFolder(dataDir, STAGING_FOLDER);
    try {
      await this.#refuseExisting();
      const { uncertain, name } = await this.#prepareMailbox();
      const blobs = await this.#prepareBlobs();
      const plan: SwapPlan = {
        mailbox,
        name,
        files: [...blobs, ...(await this.#prepareVersion())],
        buckets: await this.#prepareBuckets(),
        blobs: [...this.#blobs],
        erased: { keys: [], files: [] },
      };
      for (const { to } of [{ to: mailbox }, ...plan.files, ...plan.buckets])
        await makeFolder(dataDir, path.dirname(to));
      writePlan(dataDir, plan);
      await syncPath(dataDir);
      this.#options.signal.throwIfAborted();
      await swap();
      const bytes = [this.#entry, ...this.#blobs].reduce((sum, { size }) => sum + size, 0);
      return {
        mailboxes: 1,
        blobs: blobs.length,
        bytes,
        uncertain,
        damaged: [],
        hasSecrets: false,
        settings: [],
      };
    } finally {
      await rm(this.#folder, { recursive: true, force: true });
    }
  }

  async #refuseExisting(): Promise<void> {
    const { dataDir, mailbox, replaces } = this.#options;
    if (replaces || !(await hasMailbox(path.join(dataDir, mailbox), this.#folder))) return;
    throw new BackupError(
      "usage",
      `${dataDir} has this mailbox: --replace puts the restored one in its place, and what the mailbox got since the backup is then lost`,
    );
  }

  async #prepareMailbox(): Promise<{ uncertain: number; name: string }> {
    const { sendsAgain } = this.#options;
    const file = path.join(this.#folder, STAGED_MAILBOX);
    await this.#extract(this.#entry, file);
    const keys = new Set(this.#blobs.map(({ key }) => key));
    const settled = unlessDamaged(() =>
      settle(file, {
        path: this.#entry.path,
        at: this.#entry.at,
        nowMs: Date.now(),
        sendsAgain,
        // The mailbox reports itself to the operator's list, which may lack it.
        isListed: () => false,
        hasBlob: (key) => keys.has(key),
      }),
    );
    if (settled === null || settled.name === null)
      throw new BackupError(
        "broken",
        `The mailbox was ${settled === null ? "damaged" : "erased"} at the time of the backup already: choose an earlier snapshot with --snapshot ID`,
      );
    await syncPath(file);
    return { uncertain: settled.uncertain, name: settled.name };
  }

  async #prepareBlobs(): Promise<SwapPlan["files"]> {
    const files: SwapPlan["files"] = [];
    for (const blob of this.#blobs) {
      const name = restoredBlobFile(blob);
      await this.#extract(blob, path.join(this.#folder, `blob-${name}`));
      files.push({ staged: `blob-${name}`, to: `r2/${blob.bucket}/blobs/${name}` });
    }
    return files;
  }

  /** The data folder then names the snapshot's version, so that an older program refuses it. */
  async #prepareVersion(): Promise<SwapPlan["files"]> {
    const { snapshot, dataDir } = this.#options;
    const entry = snapshot.manifest.entries.find((one) => one.kind === "file" && one.path === VERSION_FILE);
    const isNewer = (this.#version?.format ?? 0) > (readDataVersion(dataDir)?.format ?? 0);
    if (entry === undefined || !isNewer) return [];
    const staged = "version-0";
    await extract(snapshot, entry, path.join(this.#folder, staged));
    return [{ staged, to: VERSION_FILE }];
  }

  /** Databases of the bucket, for a data folder that has none. */
  async #prepareBuckets(): Promise<SwapPlan["buckets"]> {
    const { snapshot } = this.#options;
    const buckets: SwapPlan["buckets"] = [];
    for (const entry of snapshot.manifest.entries) {
      if (entry.kind !== "file" || !entry.path.startsWith(`${BUCKET_FOLDER}/`)) continue;
      const staged = `bucket-${buckets.length}`;
      const file = path.join(this.#folder, staged);
      await extract(snapshot, entry, file);
      const isWhole = unlessDamaged(
        () => path.basename(entry.path) === ALARMS_FILE || writeBlobRows(file, this.#blobs, true),
      );
      if (isWhole === null && this.#blobs.length > 0)
        throw new BackupError(
          "broken",
          "The list of large files was damaged at the time of the backup already: choose another snapshot with --snapshot ID",
        );
      await syncPath(file);
      if (isWhole !== null) buckets.push({ staged, to: entry.path });
    }
    return buckets;
  }

  async #extract(entry: Entry, file: string): Promise<void> {
    const { signal, snapshot, onProgress } = this.#options;
    signal.throwIfAborted();
    await extract(snapshot, entry, file);
    this.#done += 1;
    onProgress(this.#done, 1 + this.#blobs.length);
  }
}

/** Makes a folder inside the data folder, and those above it. */
async function makeFolder(dataDir: string, folder: string): Promise<void> {
  let made = dataDir;
  for (const name of folder.split("/")) {
    made = path.join(made, name);
    await mkdir(made, { recursive: true, mode: 0o700 });
  }
}

/**
 * Refuses root for the data folder of another user. That user can put a link in the place of any file or folder in it, and root
 * would write where the link leads. Throws a {@link BackupError}.
 */
export async function refuseRoot(dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const uid = await ownerOf(dataDir);
  if (uid === null || uid === 0) return;
  throw new BackupError(
    "usage",
    `${dataDir} belongs to the user ${uid}: restore a mailbox as that user, such as with setpriv --reuid=${uid} --clear-groups …; with the units, docs/backup.md has the command`,
  );
}

/** The user id of the owner of a folder; null if there is none. */
async function ownerOf(folder: string): Promise<number | null> {
  try {
    return (await stat(folder)).uid;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw error;
  }
}

/** Whether a database holds a mailbox. An address that was only asked for has a database too; a damaged one may have held one. */
async function hasMailbox(file: string, scratch: string): Promise<boolean> {
  const files = await filesOf(file);
  if (files === null || (isEmptyDatabase(files) && !isCutDatabase(file))) return false;
  try {
    const read = await withImage(file, scratch, async (image) => rowsOf(image, "account", "address"));
    return (read?.result.length ?? 0) > 0;
  } catch (error) {
    if (error instanceof DamagedDatabase) return true;
    throw error;
  }
}

/** The result of `work` on a database; null if that is damaged. */
function unlessDamaged<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}
