import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** The variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Only its owner may read and write. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** The home folder; HOME first, as shells have it. */
export function homeOf(env: Env): string {
  return env.HOME || homedir();
}

/**
 * The folder of the command line's files, by the XDG Base Directory Specification: a relative `XDG_CONFIG_HOME` counts
 * as none.
 */
export function configFolder(env: Env): string {
  const base = env.XDG_CONFIG_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(homeOf(env), ".config"), "mailkeep");
}

/** The JSON of a file; undefined if there is no such file. Throws for a file that cannot be read or is no JSON. */
export function readJsonFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
  return JSON.parse(text);
}

/**
 * Writes a file that only its owner can read, whole or not at all: whoever reads it, and a process that is killed in the
 * middle, sees the old contents or the new.
 */
export function writePrivateFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { mode: PRIVATE_FILE });
    // The mode above is only for a file that is created.
    chmodSync(next, PRIVATE_FILE);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** The code of an error of the system, such as ENOENT; null for any other error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
