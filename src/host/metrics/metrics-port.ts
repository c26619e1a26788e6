import http from "node:http";
import type { AddressInfo } from "node:net";
import { METRICS_MEDIA } from "../../contract/routes/operation.ts";
import type { RuntimeGate } from "../runtime-gate.ts";
import type { HostMetrics } from "./host-metrics.ts";

/** The worker answers in some milliseconds; a scrape of Prometheus waits ten seconds. */
const WORKER_TIMEOUT_MS = 5_000;

/** Where metrics are served, and whose metrics. */
export interface MetricsPortOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  metrics: HostMetrics;
  /** Base address of the worker, such as `http://127.0.0.1:8787`. */
  upstream: string;
  /** The operator key of the worker. */
  token: string;
  gate: RuntimeGate;
}

/** The server of METRICS_PORT, for Prometheus. */
export interface MetricsPort {
  host: string;
  port: number;
  close(): void;
}

/**
 * Serves `GET /metrics` without a key: the metrics of this process, and then those of the worker. It answers while the worker
 * does not, with `mailkeep_worker_up 0`. Rejects with the error of `listen`.
 */
export function startMetricsPort(options: MetricsPortOptions): Promise<MetricsPort> {
  const server = http.createServer((request, response) => void answer(options, request, response));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      const { address, port } = server.address() as AddressInfo;
      resolve({
        host: address,
        port,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

async function answer(
  options: MetricsPortOptions,
  { method = "", url = "" }: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead || url.split("?", 1)[0] !== "/metrics") {
    const [status, text] = isRead ? [404, "Only /metrics is here.\n"] : [405, "Only GET is possible.\n"];
    response.writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
      ...(isRead ? {} : { Allow: "GET, HEAD" }),
    });
    response.end(text);
    return;
  }
  const ofWorker = await workerMetrics(options);
  const own = await options.metrics.text({ isWorkerUp: ofWorker !== null });
  response.writeHead(200, { "Content-Type": METRICS_MEDIA, "Cache-Control": "no-store" });
  response.end(own + (ofWorker ?? ""));
}

/** Null if the worker does not answer with its metrics. */
async function workerMetrics({ upstream, token, gate }: MetricsPortOptions): Promise<string | null> {
  if (!(await gate.passes(WORKER_TIMEOUT_MS))) return null;
  try {
    const response = await fetch(new URL("/metrics", upstream), {
      // The worker may be reached by an address of the network; it is on this machine all the same.
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(WORKER_TIMEOUT_MS),
    });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
