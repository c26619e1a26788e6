// Puts a restored mailbox in the place of the one that a data folder has, or adds it. A restore prepares all files in a folder of
// their own; the swap is short, and runs while no workerd has the data open.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import * as z from "zod";
import { fileOfKey, isDiskKey } from "../../lib/disk-key.ts";
import { filesOfKeys, forgetKeys, restoredBlobFile, writeBlobRows } from "./bucket.ts";
import { takeOver } from "./carry-over.ts";
import { ALARMS_FILE, MAILBOX_FOLDER } from "./data-folder.ts";
import { BLOB, BackupError, PATH } from "./format.ts";
import { alarmOfFile, writeAlarm } from "./settle.ts";

/** The folder inside the data folder in which a restore of one mailbox prepares its files. */
export const STAGING_FOLDER = "restoring";
/** The name of that folder once a swap uses it, so that the command that prepared it cannot remove it. */
const SWAP_FOLDER = "swapping";
/** The prepared mailbox, in that folder. */
export const STAGED_MAILBOX = "mailbox.sqlite";
/** The plan, which says where the prepared files go. It is written last, when they are complete. */
const PLAN_FILE = "plan.json";
/** The plan of a swap that has begun: from now on it is completed, also after a kill. */
const BEGUN_FILE = "begun.json";

const STAGED = z.string().regex(/^[a-z]+-[0-9a-f]{1,64}$/);

const PLAN = z.object({
  /** The path of the mailbox's database in the data folder. */
  mailbox: PATH,
  /** The name of its object. */
  name: z.string().regex(/^[0-9a-f]{32}$/),
  /** Prepared files that replace those of the data folder. */
  files: z.array(
    z.object({
      staged: STAGED,
      to: z.union([PATH, z.string().regex(/^r2\/[a-z0-9-]{1,63}\/blobs\/[0-9a-f]{64}$/)]),
    }),
  ),
  /** The databases of the bucket, each with a prepared one for a data folder that lacks it. */
  buckets: z.array(z.object({ staged: STAGED, to: PATH })),
  /** The large messages and files of the mailbox. */
  blobs: z.array(BLOB),
  /** Blobs of the replaced mailbox: keys that the restored one does not name, and files. */
  erased: z.object({ keys: z.array(z.string()), files: z.array(z.string().regex(/^[0-9a-f]{1,128}$/)) }),
});
/** The steps of a swap, with paths inside the data folder. */
export type SwapPlan = z.output<typeof PLAN>;

/** Writes the plan of a swap into the folder of the prepared files. From now on {@link swapMailbox} can use them. */
export function writePlan(dataDir: string, plan: SwapPlan): void {
  writeSynced(path.join(dataDir, STAGING_FOLDER, PLAN_FILE), plan);
}

/** Whether a swap has begun and is not complete. */
export function isSwapBegun(dataDir: string): boolean {
  return existsSync(path.join(dataDir, SWAP_FOLDER, BEGUN_FILE));
}

/**
 * Puts the prepared mailbox in place. No workerd may run on the data folder, and the caller holds its lock. A kill at any moment
 * leaves the old mailbox, or a swap that {@link completeSwap} completes. Throws, and leaves the old mailbox as it was, if the
 * files are not complete or the disk refuses.
 */
export function swapMailbox(dataDir: string): void {
  completeSwap(dataDir);
  const folder = path.join(dataDir, SWAP_FOLDER);
  renameSync(path.join(dataDir, STAGING_FOLDER), folder);
  try {
    const plan = readPlan(path.join(folder, PLAN_FILE));
    const staged = path.join(folder, STAGED_MAILBOX);
    for (const name of [STAGED_MAILBOX, ...[...plan.files, ...plan.buckets].map((one) => one.staged)])
      if (!existsSync(path.join(folder, name)))
        throw new BackupError("failed", `The prepared file ${name} is gone: run the restore again`);
    const erased = replacedBlobs(dataDir, plan, takeOver(staged, path.join(dataDir, plan.mailbox)));
    sync(staged);
    writeSynced(path.join(folder, BEGUN_FILE), { ...plan, erased });
    placeFiles(dataDir, plan);
  } catch (error) {
    rmSync(path.join(folder, BEGUN_FILE), { force: true });
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  completeSwap(dataDir);
}

/**
 * Completes a swap that has begun, or removes what is left of one that had not. No workerd may run on the data folder. Throws the
 * error of the file system.
 */
export function completeSwap(dataDir: string): void {
  const folder = path.join(dataDir, SWAP_FOLDER);
  if (!isSwapBegun(dataDir)) return rmSync(folder, { recursive: true, force: true });
  const plan = readPlan(path.join(folder, BEGUN_FILE));
  placeFiles(dataDir, plan);
  placeMailbox(dataDir, plan);
  eraseReplaced(dataDir, plan);
  rmSync(path.join(folder, BEGUN_FILE));
  sync(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Puts everything in place but the mailbox itself. Done twice, it has the same result. */
function placeFiles(dataDir: string, { files, buckets, blobs }: SwapPlan): void {
  const at = (staged: string): string => path.join(dataDir, SWAP_FOLDER, staged);
  for (const { staged, to } of files) move(at(staged), path.join(dataDir, to));
  for (const { staged, to } of buckets) {
    const file = path.join(dataDir, to);
    if (path.basename(to) === ALARMS_FILE) {
      if (!existsSync(file)) move(at(staged), file);
    } else if (!existsSync(file) || !writeBlobRows(file, blobs, false)) {
      removeLog(file);
      move(at(staged), file);
    }
  }
}

function placeMailbox(dataDir: string, { mailbox, name }: SwapPlan): void {
  const file = path.join(dataDir, mailbox);
  const staged = path.join(dataDir, SWAP_FOLDER, STAGED_MAILBOX);
  if (existsSync(staged)) {
    // The log belongs to the old file: with the new one, SQLite would write the old pages into it.
    removeLog(file);
    move(staged, file);
  }
  writeAlarm(path.join(dataDir, MAILBOX_FOLDER, ALARMS_FILE), {
    id: path.basename(mailbox, ".sqlite"),
    at: alarmOfFile(file),
    name,
  });
}

/** The databases of the bucket, without the list of their alarms. */
function bucketsOf(dataDir: string, { buckets }: SwapPlan): string[] {
  return buckets.flatMap(({ to }) => (path.basename(to) === ALARMS_FILE ? [] : [path.join(dataDir, to)]));
}

function replacedBlobs(dataDir: string, plan: SwapPlan, keys: string[]): SwapPlan["erased"] {
  const all = [...keys, ...plan.blobs.map(({ key }) => key)];
  const files = [
    ...bucketsOf(dataDir, plan).flatMap((file) => filesOfKeys(file, all)),
    ...all.filter(isDiskKey).map(fileOfKey),
  ];
  // After an earlier restore, the files have the names that they get now.
  const kept = new Set(plan.blobs.map(restoredBlobFile));
  return { keys, files: files.filter((file) => !kept.has(file)) };
}

function eraseReplaced(dataDir: string, plan: SwapPlan): void {
  const { keys, files } = plan.erased;
  if (keys.length > 0) for (const file of bucketsOf(dataDir, plan)) forgetKeys(file, keys);
  if (files.length === 0) return;
  for (const bucket of readdirSync(path.join(dataDir, "r2")))
    for (const file of files) rmSync(path.join(dataDir, "r2", bucket, "blobs", file), { force: true });
}

function readPlan(file: string): SwapPlan {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new BackupError("failed", `${file} cannot be read: run the restore again`);
  }
  return PLAN.parse(JSON.parse(text));
}

/** Renames a file, unless that was done before, and writes it to disk. */
function move(from: string, to: string): void {
  if (!existsSync(from)) return;
  renameSync(from, to);
  sync(path.dirname(to));
}

function removeLog(file: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

/** Writes a file whole or not at all. */
function writeSynced(file: string, value: unknown): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  sync(draft);
  renameSync(draft, file);
  sync(path.dirname(file));
}

function sync(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
