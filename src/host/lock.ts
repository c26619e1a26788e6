import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { startedAt } from "./processes.ts";
import { Refusal } from "./refusal.ts";

interface Holder {
  pid: number;
  started: string | null;
  /** The workerd that this server started. */
  runtime: { pid: number; started: string } | null;
}

/** A lock on the data folder, held by this process. */
export interface DataLock {
  /** Records which workerd uses the folder, so that the next server can end it if it is left behind. */
  note(workerdPid: number | null): void;
  release(): void;
}

const HOLDER: z.ZodType<Holder> = z.object({
  pid: z.int().positive(),
  started: z.string().nullable(),
  runtime: z.object({ pid: z.int().positive(), started: z.string() }).nullable(),
});

/** The name of the lock in the data folder. */
export const LOCK_FILE = "serve.lock";
/** Each turn removes one stale lock. More than a few mean that several servers start at the same time. */
const MAX_TURNS = 5;

/**
 * Locks the data folder for this process, or throws a {@link Refusal}: two runtimes on the same files would lose mail.
 * The lock of a process that no longer runs is taken over, and the workerd that a killed server left behind is ended.
 */
export function lockDataDir(dataDir: string): DataLock {
  const file = path.join(dataDir, LOCK_FILE);
  const draft = `${file}.${randomUUID()}`;
  try {
    makeFolder(path.resolve(dataDir));
    writeHolder(draft, null);
  } catch (error) {
    throw dataDirRefusal(dataDir, error);
  }
  try {
    take(file, draft, dataDir);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    note(workerdPid) {
      writeHolder(draft, workerdPid);
      renameSync(draft, file);
    },
    release() {
      if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/**
 * Makes a folder and those above it. Node's own `recursive` never returns if a part of the path is a link that leads nowhere.
 * Throws the error of the file system.
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      if (statSync(folder).isDirectory()) return;
    } else if (code === "ENOENT") {
      makeFolder(path.dirname(folder));
      return mkdirSync(folder, { mode: 0o700 });
    }
    throw error;
  }
}

/** The one line for a data folder that cannot be used. */
function dataDirRefusal(dataDir: string, error: unknown): Refusal {
  const { code = String(error), path: at = dataDir } = error as NodeJS.ErrnoException;
  const why = WHY_NOT[code] ?? code;
  return new Refusal(
    `DATA_DIR must be a folder that can be written to, but ${at} ${why}: set DATA_DIR to another folder`,
  );
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EEXIST: "is not a folder",
  ENOTDIR: "is not a folder, or is inside something that is not",
  ENOENT: "cannot be created, or is a link that leads nowhere",
  EACCES: "does not let this user write",
  EPERM: "does not let this user write",
  EROFS: "is on a read-only disk",
  ENOSPC: "is on a full disk",
  ELOOP: "is a link that leads to itself",
  ENAMETOOLONG: "has too long a name",
};

function writeHolder(file: string, workerdPid: number | null): void {
  const started = workerdPid === null ? null : startedAt(workerdPid);
  const runtime = started === null ? null : { pid: workerdPid, started };
  writeFileSync(file, JSON.stringify({ pid: process.pid, started: startedAt(process.pid), runtime }), {
    mode: 0o600,
  });
}

function take(file: string, draft: string, dataDir: string): void {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    try {
      // A link appears with its content or not at all.
      linkSync(draft, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = readHolder(file);
    if (holder && isRunning(holder)) {
      throw new Refusal(
        `Another server (pid ${holder.pid}) uses ${dataDir}: stop it, or set DATA_DIR to another folder`,
      );
    }
    if (holder) endOrphan(holder);
    removeStale(file, holder);
  }
  throw new Refusal(`Another server is starting on ${dataDir}`);
}

/** The start time shows that the pid still belongs to the process that the dead server started. */
function endOrphan({ runtime }: Holder): void {
  if (runtime && startedAt(runtime.pid) === runtime.started) process.kill(runtime.pid, "SIGKILL");
}

/** Renames the lock before removing it: if another server has put its own lock there meanwhile, that one is put back. */
function removeStale(file: string, stale: Holder | null): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    const moved = readHolder(aside);
    if (moved && moved.pid !== stale?.pid) linkSync(aside, file);
  } catch {
    // Another server was quicker; the next turn looks again.
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The process id of the server that has locked a data folder; null if none has. Changes nothing. */
export function lockHolder(dataDir: string): number | null {
  const holder = readHolder(path.join(dataDir, LOCK_FILE));
  return holder !== null && isRunning(holder) ? holder.pid : null;
}

function isRunning(holder: Holder): boolean {
  const started = startedAt(holder.pid);
  return started !== null && (holder.started === null || holder.started === started);
}

function readHolder(file: string): Holder | null {
  try {
    const holder = HOLDER.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return holder.success ? holder.data : null;
  } catch {
    // Removed meanwhile, or damaged: no process holds it.
    return null;
  }
}
