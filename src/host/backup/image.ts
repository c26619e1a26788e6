import { copyFile, open, rm, stat } from "node:fs/promises";
import { constants } from "node:fs";
import path from "node:path";
import * as sqlite from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { BackupError } from "./format.ts";

/** Tries to read a database without a change during the read. */
const MAX_TRIES = 12;
/** After so many tries that found damage, the file itself is damaged, and did not only change meanwhile. */
const MAX_DAMAGED_TRIES = 3;
const PAUSE_MS = 50;
/** File times have the precision of the kernel's clock tick: two changes within one tick get the same time. */
const TICK_MS = 20;
/** If the times of a file were older than this when it was read, equal times later prove that it has not changed. */
const SETTLED_MS = 1_000;
/** workerd closes the database of an idle object after ten seconds, which empties its write-ahead log. */
const IDLE_MS = 15_000;
/** How long a lock is waited for, in ms. Only a server that starts holds one for longer than an instant. */
const BUSY_MS = 2_000;
/** Pages that SQLite copies at once: all. The snapshot is one moment in any case, because a read transaction holds it. */
const ALL_PAGES = 2_147_483_647;
/** Node has it from 22.16 on. */
const copyDatabase: typeof sqlite.backup | undefined = sqlite.backup;
/** The first bytes of each database. */
const MAGIC = "SQLite format 3\0";
/** An object that never stored anything has one page, the list of its tables. */
export const EMPTY_DATABASE_BYTES = 4_096;

/** A database as it was at one moment, as one file without a log. */
export interface Image {
  /** The file with its bytes. */
  path: string;
  /** The moment, or a time just before it. */
  at: Date;
  /** Opens it for reading, without locks and without files beside it. */
  open(): DatabaseSync;
}

/** Inodes, sizes and times of the files of a database, as text. Equal texts mean equal contents if the state was settled. */
export type Signature = string;

interface Files {
  signature: Signature;
  /** Whether a change after now would change the signature, in every case. */
  isSettled: boolean;
  /** Time of the last change, in ms since 1970. */
  changedMs: number;
  size: number;
  logBytes: number;
  logChangedMs: number;
}

/** The files of a database: main file and write-ahead log. Null if there is no main file. */
export async function filesOf(file: string): Promise<Files | null> {
  const [main, log] = await Promise.all([statOf(file), statOf(`${file}-wal`)]);
  if (main === null) return null;
  const logBytes = Number(log?.size ?? 0n);
  const parts = [main, ...(log !== null && logBytes > 0 ? [log] : [])];
  const changedMs = Math.max(...parts.map(({ ctimeNs }) => Number(ctimeNs / 1_000_000n)));
  return {
    signature: parts
      .map(({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join("."))
      .join(" "),
    isSettled: Date.now() - changedMs > SETTLED_MS,
    changedMs,
    size: Number(main.size),
    logBytes,
    logChangedMs: Number((log?.mtimeNs ?? 0n) / 1_000_000n),
  };
}

async function statOf(file: string) {
  try {
    return await stat(file, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whether a database has nothing to back up, because its object was only asked for and never stored anything. */
export function isEmptyDatabase({ size, logBytes }: Files): boolean {
  return size <= EMPTY_DATABASE_BYTES && logBytes === 0;
}

/** Thrown by code that uses an image, if the image must be read again. */
export class TakeAgain extends Error {}

/** Thrown for a database that SQLite could not read in several tries, because its file is damaged. */
export class DamagedDatabase extends Error {
  /** Absolute. */
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`${file} is damaged: SQLite cannot read it`, { cause });
    this.file = file;
  }
}

/**
 * Gives `use` the state of a live database at one moment, and resolves to its result; null if the file is gone. workerd does
 * not wait for locks, so no lock is taken that could make it fail. "Log" is SQLite's write-ahead log:
 *
 * - A database without a log is not open, or nothing was written to it. It is read in place, and read again if its times have
 *   changed meanwhile.
 * - A database whose log is old is copied together with the log, and copied again if the times have changed.
 * - A database that is being written to is open in workerd. It is read within a read transaction, as any reader does.
 *
 * `use` may be called several times; only its last result counts. The signature is null if the state was not settled, so that
 * an equal signature later would prove nothing.
 *
 * Rejects with a {@link DamagedDatabase}, with a {@link BackupError} if the file never stood still, or with that of `use`.
 */
export async function withImage<T>(
  file: string,
  scratch: string,
  use: (image: Image) => Promise<T>,
): Promise<{ result: T; signature: Signature | null } | null> {
  let damages = 0;
  for (let turn = 0; turn < MAX_TRIES; turn += 1) {
    const at = new Date();
    const before = await filesOf(file);
    if (before === null) return null;
    try {
      const taken = await takeOnce({ file, scratch, before, turn, at, use });
      if (taken !== null) return taken;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (isDamage(error)) damages += 1;
      if (damages >= MAX_DAMAGED_TRIES) throw new DamagedDatabase(file, error);
    }
    await sleep(PAUSE_MS * (turn + 1));
  }
  throw new BackupError("failed", `${file} changed each time it was read: run the backup again`);
}

interface Take<T> {
  file: string;
  scratch: string;
  before: Files;
  turn: number;
  at: Date;
  use: (image: Image) => Promise<T>;
}

async function takeOnce<T>(take: Take<T>): Promise<{ result: T; signature: Signature | null } | null> {
  const { file, before, turn, at } = take;
  if (before.logBytes === 0) {
    const youngMs = TICK_MS - (Date.now() - before.changedMs);
    if (youngMs > 0) await sleep(Math.min(youngMs, TICK_MS));
    return guarded(take, () => take.use(imageAt(file, at)));
  }
  const isIdle = Date.now() - before.logChangedMs > IDLE_MS;
  if (isIdle && turn === 0) return copied(take);
  // Until a new database is in WAL mode, a reader could make the switch to that mode fail.
  if (!(await isWalMode(file))) return isIdle ? copied(take) : null;
  return pinned(take);
}

/** Does `work` and resolves to its result if the files have not changed meanwhile; else to null. */
async function guarded<T>(
  { file, before }: Take<T>,
  work: () => Promise<T>,
): Promise<{ result: T; signature: Signature | null } | null> {
  const first = await filesOf(file);
  if (first?.signature !== before.signature) return null;
  const result = await work();
  const after = await filesOf(file);
  if (after?.signature !== before.signature) return null;
  return { result, signature: first.isSettled ? before.signature : null };
}

/** Copies main file and log, runs a checkpoint on the copy, and uses the main file of the copy. */
async function copied<T>(take: Take<T>): Promise<{ result: T; signature: Signature | null } | null> {
  const { file, scratch, at, use } = take;
  const copy = path.join(scratch, path.basename(file));
  try {
    const taken = await guarded({ ...take, use }, async () => {
      await copyFile(file, copy, constants.COPYFILE_FICLONE);
      await copyFile(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
      return undefined as T;
    });
    if (taken === null) return null;
    const database = new DatabaseSync(copy);
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
    return { result: await use(imageAt(copy, at)), signature: taken.signature };
  } finally {
    await removeDatabase(copy);
  }
}

/** A file beside a log that does not begin as a database does. */
class NoHeader extends Error {}

/** Copies a database that workerd has open, within one read transaction. */
async function pinned<T>({
  file,
  scratch,
  at,
  use,
}: Take<T>): Promise<{ result: T; signature: null } | null> {
  const copy = path.join(scratch, path.basename(file));
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    if (copyDatabase === undefined) {
      database.prepare("VACUUM INTO ?").run(copy);
    } else {
      database.exec("BEGIN");
      database.prepare("SELECT count(*) FROM sqlite_schema").get();
      await copyDatabase(database, copy, { rate: ALL_PAGES });
      database.exec("ROLLBACK");
    }
    database.close();
    return { result: await use(imageAt(copy, at)), signature: null };
  } finally {
    if (database.isOpen) database.close();
    await removeDatabase(copy);
  }
}

function imageAt(file: string, at: Date): Image {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  return { path: file, at, open: () => new DatabaseSync(url.href, { readOnly: true }) };
}

/** Bytes 18 and 19 of the header are 2 in WAL mode (sqlite.org/fileformat2.html). */
async function isWalMode(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    if (bytesRead < 20 || buffer.toString("latin1", 0, MAGIC.length) !== MAGIC) throw new NoHeader(file);
    return buffer[18] === 2 && buffer[19] === 2;
  } finally {
    await handle.close();
  }
}

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(`${file}${suffix}`, { force: true });
}

/** Whether an error was caused by a change during the read, so that another try may succeed. */
function isPassing(error: unknown): boolean {
  if (error instanceof TakeAgain || error instanceof NoHeader) return true;
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ENOENT" || error.code === "ERR_SQLITE_ERROR";
}

/** Result codes of SQLite: SQLITE_ERROR (page 1 describes tables that cannot be), SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([1, 11, 26]);

/** Whether an error says that a file is not a whole database. The low byte of a code is its kind. */
export function isDamage(error: unknown): boolean {
  if (error instanceof NoHeader) return true;
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return typeof error.errcode === "number" && DAMAGED.has(error.errcode & 0xff);
}
