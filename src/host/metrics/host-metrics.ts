import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { HOST_METRICS } from "../../contract/host-metrics.ts";
import { METRICS } from "../../contract/metrics.ts";
import { exposition, Registry, type Series } from "../../lib/metrics.ts";
import { openFilesOf } from "../descriptors.ts";
import type { SmtpObserver } from "../smtp/observer.ts";

/** The resolution at which delays of the event loop are measured, in ms. */
const LOOP_RESOLUTION_MS = 20;
const NS_PER_S = 1e9;

/** The sources that `HostMetrics` reads at each scrape. */
export interface HostMetricsTools {
  dataDir: string;
  workerdPid: () => number | null;
  /** Whether `GET /readyz` answers 200. */
  isReady: () => Promise<boolean>;
}

/** Counts what happens in this process: at the SMTP listener and to workerd. Reads memory, files and the disk at each scrape. */
export class HostMetrics {
  readonly #tools: HostMetricsTools;
  readonly #own = new Registry(HOST_METRICS);
  /** Refusals of the SMTP listener, which the worker adds to its own. */
  readonly #forWorker = new Registry(METRICS);
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #openConnections = 0;

  constructor(tools: HostMetricsTools) {
    this.#tools = tools;
    this.#own.set("mailkeep_start_time_seconds", {}, Math.round(Date.now() / 1_000));
    this.#loop.enable();
  }

  /** Call when workerd died and runs again. */
  workerdRestarted(): void {
    this.#own.count("mailkeep_workerd_restarts_total", {});
  }

  /** Hands over the counts that the worker adds to its own. */
  takeForWorker(): Series {
    return { ...this.#forWorker.take() };
  }

  /** Counts connections and refusals of the SMTP listener. */
  observeSmtp(): Pick<SmtpObserver, "opened" | "closed" | "refused" | "delayed"> {
    return {
      opened: () => {
        this.#openConnections += 1;
        this.#own.count("mailkeep_smtp_connections_total", { result: "accepted" });
      },
      closed: () => {
        this.#openConnections -= 1;
      },
      refused: (reason, isConnection) => {
        if (isConnection) this.#own.count("mailkeep_smtp_connections_total", { result: "refused" });
        this.#forWorker.count("mailkeep_refusals_total", { door: "smtp", reason });
      },
      delayed: () => this.#own.count("mailkeep_smtp_delayed_replies_total", {}),
    };
  }

  /** The metrics of this process in Prometheus's text format. */
  async text({ isWorkerUp }: { isWorkerUp: boolean }): Promise<string> {
    this.#own.set("mailkeep_worker_up", {}, Number(isWorkerUp));
    this.#own.set("mailkeep_ready", {}, Number(isWorkerUp && (await this.#tools.isReady())));
    this.#own.set("mailkeep_smtp_connections", {}, this.#openConnections);
    this.#own.set("mailkeep_event_loop_delay_seconds", {}, this.#loop.max / NS_PER_S);
    this.#loop.reset();
    this.#readProcess("server", process.pid);
    this.#readProcess("workerd", this.#tools.workerdPid());
    await this.#readDisk();
    return exposition(HOST_METRICS, this.#own.read());
  }

  /** If the system does not say, as outside of Linux, the last values stay. */
  #readProcess(name: "server" | "workerd", pid: number | null): void {
    const memory = pid === null ? 0 : residentBytes(pid);
    const files = pid === null ? { open: 0, limit: 0 } : openFilesOf(pid);
    if (memory !== null) this.#own.set("mailkeep_process_resident_memory_bytes", { process: name }, memory);
    if (files === null) return;
    this.#own.set("mailkeep_process_open_files", { process: name }, files.open);
    this.#own.set("mailkeep_process_max_files", { process: name }, files.limit);
  }

  async #readDisk(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#tools.dataDir);
      this.#own.set("mailkeep_disk_free_bytes", {}, bavail * bsize);
      this.#own.set("mailkeep_disk_size_bytes", {}, blocks * bsize);
    } catch {
      // The folder is gone, which `mailkeep_ready` shows.
      this.#own.set("mailkeep_disk_free_bytes", {}, 0);
    }
  }
}

/** Null where the system does not say: only Linux has `/proc`. */
function residentBytes(pid: number): number | null {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? null : Number(kib) * 1_024;
  } catch {
    return null;
  }
}
