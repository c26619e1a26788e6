import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { startedAt } from "./processes.ts";
import { Refusal } from "./refusal.ts";

interface Holder {
  pid: number;
  started: string | null;
  /** The workerd of that server. */
  runtime: { pid: number; started: string } | null;
}

/** The data folder, held for this process. */
export interface DataLock {
  /** Notes which workerd works on the folder, so that a later server can end one that was left behind. */
  note(workerdPid: number | null): void;
  release(): void;
}

const HOLDER: z.ZodType<Holder> = z.object({
  pid: z.int().positive(),
  started: z.string().nullable(),
  runtime: z.object({ pid: z.int().positive(), started: z.string() }).nullable(),
});

const FILE = "serve.lock";
/** Each turn removes one stale lock; more than a few mean that several servers start at once. */
const MAX_TURNS = 5;

/**
 * Takes the data folder for this process, or throws a {@link Refusal}: two runtimes over the same files would lose mail.
 * A lock whose process no longer runs is taken over, and the workerd that a killed server left behind is ended.
 */
export function lockDataDir(dataDir: string): DataLock {
  const file = path.join(dataDir, FILE);
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
 * Makes a folder and those above it. Node's own `recursive` tries forever where a part of the path is a link that leads nowhere.
 * Throws what stands in the way.
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
    `DATA_DIR must be a folder that can be written to, but ${at} ${why}: set DATA_DIR to another`,
  );
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EEXIST: "is no folder",
  ENOTDIR: "is no folder, or lies in none",
  ENOENT: "is a link that leads nowhere",
  EACCES: "does not let this user write",
  EPERM: "does not let this user write",
  EROFS: "lies on a disk that is read-only",
  ENOSPC: "lies on a disk that is full",
  ELOOP: "is a link that leads to itself",
  ENAMETOOLONG: "is too long a name",
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
      throw new Refusal(`Another server (pid ${holder.pid}) uses ${dataDir}: stop it, or set DATA_DIR`);
    }
    if (holder) endOrphan(holder);
    removeStale(file, holder);
  }
  throw new Refusal(`Another server is starting on ${dataDir}`);
}

/** The start time makes sure that the number still means the process that the dead server started. */
function endOrphan({ runtime }: Holder): void {
  if (runtime && startedAt(runtime.pid) === runtime.started) process.kill(runtime.pid, "SIGKILL");
}

/** Moved aside before it is removed: if another starter put its own lock there meanwhile, that one goes back. */
function removeStale(file: string, stale: Holder | null): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    const moved = readHolder(aside);
    if (moved && moved.pid !== stale?.pid) linkSync(aside, file);
  } catch {
    // Somebody was quicker; the next turn sees what is there.
  } finally {
    rmSync(aside, { force: true });
  }
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
    // Gone meanwhile, or damaged: nobody holds it.
    return null;
  }
}
