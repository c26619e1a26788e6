import { randomUUID } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { BackupError } from "./format.ts";
import { RunLock, isLocked } from "./run-lock.ts";
import { STATE_FOLDER } from "./state.ts";

/** The folder of temporary copies of one run, and beside it `….lock` while the run lives. */
const SCRATCH = /^tmp-[0-9a-f-]{36}$/;
const SCRATCH_LOCK = /^tmp-[0-9a-f-]{36}\.lock$/;

/** Gives `work` a folder for copies of databases that only this user can read. It is removed, and so are those of killed runs. */
export async function withScratch<T>(dataDir: string, work: (scratch: string) => Promise<T>): Promise<T> {
  const parent = path.join(dataDir, STATE_FOLDER);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await chmod(parent, 0o700);
  const scratch = path.join(parent, `tmp-${randomUUID()}`);
  // Another run may write to another backup folder meanwhile. Its lock is there before its copies are.
  const lock = await RunLock.take(`${scratch}.lock`, parent);
  if (lock === null) throw new BackupError("failed", `${scratch}.lock exists: run the backup again`);
  try {
    await removeLeft(parent, (await stat(`${scratch}.lock`)).mtimeMs);
    await mkdir(scratch, { mode: 0o700 });
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await lock.release();
  }
}

/** Removes what killed runs left behind. */
async function removeLeft(parent: string, nowMs: number): Promise<void> {
  const names = await readdir(parent);
  for (const name of names.filter((one) => SCRATCH.test(one))) {
    const folder = path.join(parent, name);
    if (!(await isLocked(`${folder}.lock`, nowMs))) await rm(folder, { recursive: true, force: true });
  }
  for (const name of names.filter((one) => SCRATCH_LOCK.test(one))) {
    const file = path.join(parent, name);
    if (!(await isLocked(file, nowMs))) await rm(file, { force: true });
  }
}
