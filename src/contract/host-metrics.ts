import type { Catalogue } from "../lib/metrics.ts";

const PROCESSES = ["server", "workerd"] as const;

/** Every metric of `npm start` itself, on `METRICS_PORT`. The worker's are in `METRICS`. */
export const HOST_METRICS = {
  mailkeep_ready: {
    type: "gauge",
    help: "1 if GET /readyz answers 200, else 0.",
    labels: {},
  },
  mailkeep_worker_up: {
    type: "gauge",
    help: "1 if the worker answered with its own metrics, which then follow; else 0.",
    labels: {},
  },
  mailkeep_workerd_restarts_total: {
    type: "counter",
    help: "Times that workerd died and was started again since the server started.",
    labels: {},
  },
  mailkeep_start_time_seconds: {
    type: "gauge",
    help: "When the server started, in seconds since 1970.",
    labels: {},
  },
  mailkeep_smtp_connections: {
    type: "gauge",
    help: "Open connections to the SMTP listener.",
    labels: {},
  },
  mailkeep_smtp_connections_total: {
    type: "counter",
    help: "Connections to the SMTP listener since the server started.",
    labels: { result: ["accepted", "refused"] },
  },
  mailkeep_smtp_delayed_replies_total: {
    type: "counter",
    help: "Replies that were delayed because a client tried many unknown recipients.",
    labels: {},
  },
  mailkeep_process_resident_memory_bytes: {
    type: "gauge",
    help: "Memory of the process that is in RAM.",
    labels: { process: PROCESSES },
  },
  mailkeep_process_open_files: {
    type: "gauge",
    help: "File descriptors that the process has open.",
    labels: { process: PROCESSES },
  },
  mailkeep_process_max_files: {
    type: "gauge",
    help: "File descriptors that the process may have open.",
    labels: { process: PROCESSES },
  },
  mailkeep_event_loop_delay_seconds: {
    type: "gauge",
    help: "Longest delay of the server's event loop since the last scrape.",
    labels: {},
  },
  mailkeep_disk_free_bytes: {
    type: "gauge",
    help: "Room on the disk of the data folder for the user of the server.",
    labels: {},
  },
  mailkeep_disk_size_bytes: {
    type: "gauge",
    help: "Size of the disk of the data folder.",
    labels: {},
  },
} as const satisfies Catalogue;
