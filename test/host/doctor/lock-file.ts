import { writeFileSync } from "node:fs";
import path from "node:path";
import { LOCK_FILE } from "../../../src/host/lock.ts";
import { startedAt } from "../../../src/host/processes.ts";

/** Writes the lock of a server that runs: the process of the test stands for it. */
export function writeLock(dataDir: string): void {
  const holder = { pid: process.pid, started: startedAt(process.pid), runtime: null };
  writeFileSync(path.join(dataDir, LOCK_FILE), JSON.stringify(holder), { mode: 0o600 });
}
