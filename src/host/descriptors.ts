import { readFileSync, readdirSync } from "node:fs";

/** File descriptors of a process: how many it has open, and how many it may have. */
export interface OpenFiles {
  open: number;
  limit: number;
}

/** From this share of the limit on the operator is warned: at the limit, any request may fail. */
const SHORT = 0.8;
/** Below this share the shortage is over, and the next one is reported at once. */
const RELAXED = 0.6;
/** A shortage that lasts is reported again after this time. */
const REPEAT_MS = 3_600_000;
const CHECK_MS = 15_000;
/** A mailbox in use needs three descriptors, a connection one: with a lower limit a busy server reaches it. */
const MIN_LIMIT = 4_096;

/** Null where the system does not say: only Linux has `/proc`. */
export function openFilesOf(pid: number): OpenFiles | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8")) ?? [];
    return limit === undefined ? null : { open: readdirSync(`/proc/${pid}/fd`).length, limit: Number(limit) };
  } catch {
    // The process ended, or there is no /proc.
    return null;
  }
}

/** Decides when the operator is warned that file descriptors run short. */
export class DescriptorWatch {
  #warnedAtMs: number | null = null;

  /** The warning to print; null for none. */
  check({ open, limit }: OpenFiles, nowMs: number): string | null {
    if (open < limit * RELAXED) this.#warnedAtMs = null;
    const isWarned = this.#warnedAtMs !== null && nowMs - this.#warnedAtMs < REPEAT_MS;
    if (open < limit * SHORT || isWarned) return null;
    this.#warnedAtMs = nowMs;
    return `Warning: workerd has ${open} of ${limit} files open, and at the limit requests fail: ${REMEDY}`;
  }
}

const REMEDY = "allow more (`ulimit -n 65536`, or LimitNOFILE= of the service) and restart the server";

/** A warning for the start; null if the limit is high enough. Node has already raised it to the hard limit. */
export function lowLimit({ limit }: OpenFiles): string | null {
  return limit < MIN_LIMIT ? `Warning: only ${limit} files may be open at a time: ${REMEDY}` : null;
}

/** Checks the descriptors of the current workerd every 15 seconds, and logs warnings. */
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
