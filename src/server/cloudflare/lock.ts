import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codeOf, type Env } from "../../cli/profile/files.ts";
import { Stop } from "../../host/cloudflare/failure.ts";
import { startedAt } from "../../host/processes.ts";
import { lockFile, type DeploymentName } from "./files.ts";

/** Each turn removes one lock that a killed process left behind. */
const MAX_TURNS = 3;

/** A deployment that is changed, and the command to run again where another process changes it. */
export interface LockOptions {
  env: Env;
  name: DeploymentName;
  again: string;
}

/**
 * Does `work` while no other `up` or `down` of this machine changes the deployment. Throws a {@link Stop} if one does. The lock of a
 * process that no longer runs is taken over.
 */
export async function locked<T>(options: LockOptions, work: () => Promise<T>): Promise<T> {
  const file = lockFile(options.env, options.name);
  take(file, options);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file: string, { name, again }: LockOptions): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const own = { pid: process.pid, started: startedAt(process.pid) };
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      if (isLinked(draft, file)) return;
      const text = textOf(file);
      const pid = runningIn(text);
      if (pid !== null) {
        throw new Stop(
          `Another run (process ${pid}) changes the deployment ${name.worker} now`,
          `wait until it ends, then: ${again}`,
        );
      }
      removeStale(file, text);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new Stop(
    `Other runs change the deployment ${name.worker} now`,
    `wait until they end, then: ${again}`,
  );
}

/** A link appears with its contents or not at all; false if the file is there already. */
function isLinked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Renames the lock before it is removed: one that another process has put there meanwhile is put back. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (textOf(aside) !== stale) linkSync(aside, file);
  } catch (error) {
    // Another process was quicker; the next turn looks again.
    if (codeOf(error) === null) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Removed meanwhile.
    return "";
  }
}

/** The process of a lock; null if it no longer runs, or the lock is damaged. */
function runningIn(text: string): number | null {
  try {
    const { pid, started }: { pid?: unknown; started?: unknown } = JSON.parse(text);
    return typeof pid === "number" && typeof started === "string" && startedAt(pid) === started ? pid : null;
  } catch {
    return null;
  }
}
