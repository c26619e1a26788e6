import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

interface ProcessRow {
  pid: number;
  parent: number;
  command: string;
}

/**
 * When a process began, as a text that is equal only for the same process: a pid is used again after a restart of the
 * machine or of a container. Null if no such process runs.
 */
export function startedAt(pid: number): string | null {
  const fields = statOf(pid);
  // proc_pid_stat(5): state is field 3, starttime field 22, in ticks since boot.
  if (fields) return fields.state === "Z" ? null : `${bootId()}:${fields.startTicks}`;
  if (process.platform === "linux") return null;
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || null;
  } catch {
    // ps answers 1 for an unknown process.
    return null;
  }
}

/**
 * The pid of the workerd that a `serve.ts` process (or the `run.mjs` above it) runs now; null while there is none. It changes
 * when workerd is restarted.
 */
export function workerdPid(servePid: number): number | null {
  return workerdPids(servePid)[0] ?? null;
}

/** The pid of every workerd below a process. */
export function workerdPids(parentPid: number): number[] {
  const rows = processes();
  const family = new Set([parentPid]);
  for (let grown = true; grown;) {
    const before = family.size;
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid);
    grown = family.size > before;
  }
  return rows.filter((row) => family.has(row.pid) && row.command === "workerd").map(({ pid }) => pid);
}

function processes(): ProcessRow[] {
  if (process.platform !== "linux") return processesByPs();
  return readdirSync("/proc").flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : null;
    if (!stat || stat.state === "Z") return [];
    return [{ pid: Number(entry), parent: stat.parent, command: stat.command }];
  });
}

function processesByPs(): ProcessRow[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" });
  return table.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(?:.*\/)?(.+?)\s*$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? "" }] : [];
  });
}

function statOf(pid: number): { command: string; state: string; parent: number; startTicks: string } | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // No such process, or no /proc on this system.
    return null;
  }
  // The command stands in parentheses and may hold spaces and parentheses itself.
  const end = stat.lastIndexOf(")");
  const rest = stat.slice(end + 2).split(" ");
  return {
    command: stat.slice(stat.indexOf("(") + 1, end),
    state: rest[0] ?? "",
    parent: Number(rest[1]),
    startTicks: rest[19] ?? "",
  };
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}
