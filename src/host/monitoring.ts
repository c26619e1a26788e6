import { bracketed } from "./banner.ts";
import type { HostLog } from "./host-log.ts";
import { HostMetrics } from "./metrics/host-metrics.ts";
import { startMetricsPort } from "./metrics/metrics-port.ts";
import type { MetricsPort } from "./metrics/metrics-port.ts";
import { listenRefusal } from "./ports.ts";
import { workerdPid } from "./processes.ts";
import { HostReadiness, PROBE_LIMIT_MS, probeDisk } from "./readiness.ts";
import type { RuntimeGate } from "./runtime-gate.ts";
import type { RuntimeOptions } from "./runtime.ts";
import type { Settings } from "./settings.ts";
import type { SmtpObserver } from "./smtp/observer.ts";

/** The monitoring of `npm start`: readiness, metrics and the JSON log. */
export class Monitoring {
  readonly readiness: HostReadiness;
  readonly #settings: Settings;
  readonly #log: HostLog;
  readonly #metrics: HostMetrics;
  #port: MetricsPort | null = null;

  constructor(settings: Settings, log: HostLog) {
    const { dataDir } = settings;
    const readiness = new HostReadiness({
      probe: () => probeDisk(dataDir),
      now: () => performance.now(),
      limitMs: PROBE_LIMIT_MS,
    });
    this.#settings = settings;
    this.#log = log;
    this.readiness = readiness;
    this.#metrics = new HostMetrics({
      dataDir,
      workerdPid: () => workerdPid(process.pid),
      isReady: async () => (await readiness.reasons()).length === 0,
    });
  }

  /** The answers of this process to the worker: whether it is ready, and its counts. */
  forRuntime(): Pick<RuntimeOptions, "readiness" | "takeCounts"> {
    return { readiness: this.readiness, takeCounts: () => this.#metrics.takeForWorker() };
  }

  /** Call when workerd died and runs again. */
  workerdRestarted(): void {
    this.#metrics.workerdRestarted();
  }

  /** Counts and logs what happens at the SMTP listener. */
  observeSmtp(): SmtpObserver {
    const counts = this.#metrics.observeSmtp();
    const lines = this.#log.observeSmtp();
    return {
      ...counts,
      ...lines,
      refused: (reason, isConnection) => {
        counts.refused(reason, isConnection);
        lines.refused(reason, isConnection);
      },
    };
  }

  /**
   * Serves metrics on `METRICS_PORT` and returns their URL; null if it is not set. Throws a `Refusal` if the port cannot be
   * listened on.
   *
   * @param upstream where the worker answers, and the operator key for it.
   */
  async open(upstream: { http: string; token: string; gate: RuntimeGate }): Promise<string | null> {
    const place = this.#settings.metrics;
    if (place === null) return null;
    const { http, token, gate } = upstream;
    try {
      this.#port = await startMetricsPort({ ...place, metrics: this.#metrics, upstream: http, token, gate });
    } catch (error) {
      throw listenRefusal({ protocol: "Metrics", ...place, variable: "METRICS_PORT" }, error);
    }
    return `http://${bracketed(this.#port.host)}:${this.#port.port}/metrics`;
  }

  /** Closes `METRICS_PORT`. */
  close(): void {
    this.#port?.close();
  }
}
