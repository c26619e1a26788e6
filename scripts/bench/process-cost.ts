import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Linux counts CPU time for /proc in hundredths of a second (USER_HZ). */
const TICK_MS = 10;
const KB = 1_024;

/** Milliseconds of CPU that a process has used, all its threads together. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // proc_pid_stat(5): utime and stime are fields 14 and 15; the first here is field 3.
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const NS_IN_MS = 1e6;

/** As `cpuMs`, finer than hundredths of a second: of the threads that run now. */
export function preciseCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
  return ns.reduce((sum, each) => sum + Number(each), 0) / NS_IN_MS;
}

/** Resident bytes now, and the most since the last `forgetPeak`. */
export function resident(pid: number): { bytes: number; peakBytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * KB;
  return { bytes: field("VmRSS"), peakBytes: field("VmHWM") };
}

/** Lets the peak count from here (proc_pid_clear_refs(5), value 5). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
