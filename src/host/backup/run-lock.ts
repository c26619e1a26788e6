// The lock of a run of a backup: a file beside what it guards.
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { link, open, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import * as z from "zod";
import { startedAt } from "../processes.ts";

/** Time between two signs of life. */
export const BEAT_MS = 20_000;
/** A lock of another machine or container without a sign of life for so long is that of a dead process. */
export const STALE_MS = 300_000;
/** Each turn removes one stale lock. More than a few mean that several runs start at the same time. */
const MAX_TURNS = 5;
/** Answers of file systems that have no links. */
const NO_LINKS = new Set<unknown>(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

const DRAFT = /^lock-[0-9a-f-]{36}$/;

const HOLDER = z.object({
  /** Differs for each lock. */
  id: z.string().min(1),
  /** The machine and the container whose numbers of processes these are. */
  place: z.string().min(1),
  pid: z.int().positive(),
  started: z.string().nullable(),
});
type Holder = z.output<typeof HOLDER>;

/** A lock that this process holds. */
export class RunLock {
  readonly #file: string;
  readonly #id: string;
  readonly #handle: FileHandle;
  readonly #timer: NodeJS.Timeout;

  private constructor(file: string, holder: Holder, handle: FileHandle) {
    this.#file = file;
    this.#id = holder.id;
    this.#handle = handle;
    const bytes = textOf(holder);
    // The same bytes again: the file system's own clock then stamps the file, whatever the time of this machine is.
    this.#timer = setInterval(() => void handle.write(bytes, 0).catch(() => {}), BEAT_MS).unref();
  }

  /**
   * Takes a lock; null if another process holds it. The lock of a dead process is taken over. `drafts` is a folder on the same
   * disk, which exists.
   */
  static async take(file: string, drafts: string): Promise<RunLock | null> {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const holder = {
        id: randomUUID(),
        place: placeOf(),
        pid: process.pid,
        started: startedAt(process.pid),
      };
      const draft = path.join(drafts, `lock-${holder.id}`);
      try {
        await writeFile(draft, textOf(holder), { flag: "wx", mode: 0o600 });
        const { mtimeMs } = await stat(draft);
        if (await appears(draft, file)) {
          await removeOldDrafts(drafts, mtimeMs);
          return new RunLock(file, holder, await open(file, "r+"));
        }
        const found = await readLock(file);
        if (found === null) continue;
        if (isHeld(found, mtimeMs)) return null;
        await removeStale(file, found, drafts);
      } finally {
        await rm(draft, { force: true });
      }
    }
    return null;
  }

  /** Whether the lock is still this one: a process that was stopped for long may have lost it. */
  async isKept(): Promise<boolean> {
    return (await readLock(this.#file))?.holder?.id === this.#id;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#handle.close();
    if (await this.isKept()) await rm(this.#file, { force: true });
  }
}

/** Whether a running process holds the lock in a file. `nowMs` is the present time by the clock of the file system. */
export async function isLocked(file: string, nowMs: number): Promise<boolean> {
  const found = await readLock(file);
  return found !== null && isHeld(found, nowMs);
}

/** Makes the lock appear with its contents; false if there is one. */
async function appears(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  try {
    // An instant without contents: whoever reads the lock then judges it by its age.
    await writeFile(file, await readFile(draft), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** A lock as it was found; the holder is null if the file does not name one. */
interface Found {
  holder: Holder | null;
  mtimeMs: number;
}

async function readLock(file: string): Promise<Found | null> {
  try {
    const { mtimeMs } = await stat(file);
    return { holder: parseHolder(await readFile(file, "utf8")), mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parseHolder(text: string): Holder | null {
  try {
    return HOLDER.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Cut off, or not written yet.
    return null;
  }
}

/** A process of this machine and container is asked for; any other lock counts by its last sign of life. */
function isHeld({ holder, mtimeMs }: Found, nowMs: number): boolean {
  if (holder?.place === placeOf() && holder.started !== null) return startedAt(holder.pid) === holder.started;
  return Math.abs(nowMs - mtimeMs) < STALE_MS;
}

/** Renames the lock before removing it: if another process has put its own lock there meanwhile, that one is put back. */
async function removeStale(file: string, stale: Found, drafts: string): Promise<void> {
  const aside = path.join(drafts, `lock-${randomUUID()}`);
  try {
    await rename(file, aside);
    const moved = await readLock(aside);
    if (moved !== null && moved.holder?.id !== stale.holder?.id) await appears(aside, file);
  } catch (error) {
    // Another process was quicker; the next turn looks again.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Removes the drafts of processes that were killed in the middle of taking a lock. */
async function removeOldDrafts(drafts: string, nowMs: number): Promise<void> {
  for (const name of await readdir(drafts)) {
    if (!DRAFT.test(name)) continue;
    const found = await readLock(path.join(drafts, name));
    if (found !== null && nowMs - found.mtimeMs > STALE_MS)
      await rm(path.join(drafts, name), { force: true });
  }
}

function textOf(holder: Holder): string {
  return JSON.stringify(holder);
}

/** Names machine, its present run, and the container. Equal texts mean that a number of a process means the same process. */
function placeOf(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Not Linux: no containers with processes of their own, and the start time tells the runs of a machine apart.
    return hostname();
  }
}
