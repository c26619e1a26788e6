import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { LOCK_FILE, lockDataDir } from "../host/lock.ts";
import type { DataLock } from "../host/lock.ts";
import { workerdPids } from "../host/processes.ts";

const PREFIX = "mailkeep-twin-";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The folder of a twin. It names the processes that use it, so that a later twin removes what a killed one left behind. */
export class TwinFolder {
  readonly path: string;
  readonly #lock: DataLock;
  readonly #remove = () => this.remove();
  readonly #onSignal = (signal: NodeJS.Signals) => {
    // Whoever else listens decides whether the process ends, and "exit" follows.
    if (process.listenerCount(signal) > 1) return;
    this.remove();
    process.kill(process.pid, signal);
  };
  #runtimes: readonly number[] = [];

  constructor() {
    removeAbandoned();
    this.path = mkdtempSync(path.join(tmpdir(), PREFIX));
    this.#lock = lockDataDir(this.path);
    process.once("exit", this.#remove);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Runs `start`, and records the processes of the runtime that it starts. */
  async recordingProcesses<T>(start: () => Promise<T>): Promise<T> {
    const before = new Set(workerdPids(process.pid));
    const started = await start();
    this.#runtimes = workerdPids(process.pid).filter((pid) => !before.has(pid));
    this.#lock.note(this.#runtimes[0] ?? null);
    return started;
  }

  /** Ends a runtime that still runs, and removes the folder. Waits for nothing: it is called when the process ends, too. */
  remove(): void {
    process.removeListener("exit", this.#remove);
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
    for (const pid of this.#runtimes) end(pid);
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Call when the runtime has ended: its number may be given to another process. */
  ended(): void {
    this.#runtimes = [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Whether a folder is this user's own and nobody else may write to it: another user's may name any process as its runtime. */
function isOwn(folder: string): boolean {
  const state = lstatSync(folder);
  if (process.getuid === undefined) return state.isDirectory();
  return state.isDirectory() && state.uid === process.getuid() && (state.mode & 0o022) === 0;
}

/** Removes the folders of twins whose process was killed, and ends the runtimes that they left behind. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = path.join(tmpdir(), name);
    if (!name.startsWith(PREFIX) || !existsSync(path.join(folder, LOCK_FILE))) continue;
    try {
      if (!isOwn(folder)) continue;
      lockDataDir(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A twin runs on it, or it belongs to another user.
    }
  }
}
