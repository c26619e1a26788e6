import { readFileSync, readdirSync } from "node:fs";

/** Descriptors of a process: what it has, and what the system lets it have. */
export interface OpenFiles {
  open: number;
  limit: number;
}

/** From this share on the operator is warned: what is refused at the limit is anybody's request. */
const SHORT = 0.8;
/** Below this share it is over, and a new shortage is told again. */
const RELAXED = 0.6;
/** A shortage that lasts is told again. */
const REPEAT_MS = 3_600_000;
const CHECK_MS = 15_000;
/** A mailbox in use takes three, a connection one: with fewer a busy deployment comes to its limit. */
const MIN_LIMIT = 4_096;

/** Null where the system does not tell: only Linux has `/proc`. */
export function openFilesOf(pid: number): OpenFiles | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8")) ?? [];
    return limit === undefined ? null : { open: readdirSync(`/proc/${pid}/fd`).length, limit: Number(limit) };
  } catch {
    // No such process any more, or no /proc.
    return null;
  }
}

/** Decides when the operator is told that descriptors run short. */
export class DescriptorWatch {
  #toldAtMs: number | null = null;

  /** The line to print; null for none. */
  check({ open, limit }: OpenFiles, nowMs: number): string | null {
    if (open < limit * RELAXED) this.#toldAtMs = null;
    const isTold = this.#toldAtMs !== null && nowMs - this.#toldAtMs < REPEAT_MS;
    if (open < limit * SHORT || isTold) return null;
    this.#toldAtMs = nowMs;
    return `workerd has ${open} of ${limit} files open, and at the limit requests fail: ${REMEDY}`;
  }
}

const REMEDY = "allow more (`ulimit -n 65536`, or LimitNOFILE= of the service) and start again";

/** What an operator should know at the start; null if there is room enough. Node has raised the limit as far as it may be. */
export function lowLimit({ limit }: OpenFiles): string | null {
  return limit < MIN_LIMIT ? `Only ${limit} files may be open at a time: ${REMEDY}` : null;
}

/** Looks after the descriptors of the workerd of the moment as long as the process runs. */
export function watchDescriptors(pidOf: () => number | null, log: (line: string) => void): void {
  const watch = new DescriptorWatch();
  const read = (): OpenFiles | null => {
    const pid = pidOf();
    return pid === null ? null : openFilesOf(pid);
  };
  const first = read();
  const low = first === null ? null : lowLimit(first);
  if (low !== null) log(low);
  setInterval(() => {
    const files = read();
    const line = files === null ? null : watch.check(files, performance.now());
    if (line !== null) log(line);
  }, CHECK_MS).unref();
}
