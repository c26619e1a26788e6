import * as z from "zod";
import { METRICS } from "../contract/metrics.ts";
import { isDraining } from "../lib/draining.ts";
import { exposition, type Series } from "../lib/metrics.ts";
import { hasActivity, returnActivities, takeActivities } from "./activity.ts";
import { metrics } from "./metrics.ts";
import type { Monitor } from "./monitor.ts";

/** The name of the one monitor object. */
const MONITOR = "monitor";

/** The least time between two flushes of one isolate, in ms: below the 30 s that a request's work may go on after its answer. */
const INTERVAL_MS = 25_000;
/** How long the first flush after a quiet time waits for further counts, in ms. */
const FIRST_MS = 1_000;
/** A planned flush that is late by this much, in ms, was lost with the request that planned it. */
const GRACE_MS = 5_000;

/** Until when no other flush is planned, and when the last one was, in ms since 1970. */
let plannedUntil = 0;
let flushedAt = 0;

/** The bindings that a flush uses. `npm start` adds HOST_STATE: its own process counts what its SMTP listener refuses. */
interface FlushBindings {
  MONITOR: DurableObjectNamespace<Monitor>;
  HOST_STATE?: Fetcher;
}

/** The monitor of the deployment. */
export function monitorOf(env: Pick<FlushBindings, "MONITOR">): DurableObjectStub<Monitor> {
  return env.MONITOR.getByName(MONITOR);
}

/**
 * Plans to hand this isolate's counts to the monitor, a second from now or half a minute after the last time. If that is planned
 * already, the call costs almost nothing. Nobody waits for the flush. When the server stops, the counts are handed over at once.
 */
export function flushSoon(env: FlushBindings, waitUntil: (work: Promise<unknown>) => void): void {
  if (isDraining()) {
    waitUntil(flush(env));
    return;
  }
  const now = Date.now();
  const wait = plannedUntil - now;
  // A longer wait means that the clock was set back.
  if (wait > 0 && wait <= INTERVAL_MS + GRACE_MS) return;
  if (metrics.isEmpty && !hasActivity()) return;
  const delay = Math.min(INTERVAL_MS, Math.max(FIRST_MS, flushedAt + INTERVAL_MS - now));
  plannedUntil = now + delay + GRACE_MS;
  waitUntil(scheduler.wait(delay).then(() => flush(env)));
}

/** Hands this isolate's counts to the monitor. If that fails, they are kept for the next time. Never rejects. */
export async function flush(env: FlushBindings): Promise<void> {
  plannedUntil = 0;
  flushedAt = Date.now();
  metrics.add(await hostCounts(env));
  const series = metrics.take();
  const activities = takeActivities();
  try {
    // A plain object, because an RPC cannot carry the registry's object, which has no prototype.
    await monitorOf(env).tell({ series: { ...series }, activities });
  } catch (error) {
    metrics.add(series);
    returnActivities(activities);
    console.error("Counts could not be handed to the monitor; they are kept for the next time:", error);
  }
}

const HostCounts = z.record(z.string(), z.array(z.number()));

/** The counts of the SMTP listener since it was last asked. */
async function hostCounts({ HOST_STATE }: FlushBindings): Promise<Series> {
  if (HOST_STATE === undefined) return {};
  try {
    const response = await HOST_STATE.fetch("http://host/counts");
    return HostCounts.parse(await response.json());
  } catch (error) {
    console.error("The server's own process could not be asked what it counted:", error);
    return {};
  }
}

/** All metrics of the worker as Prometheus reads them, with what this isolate counted until now. */
export async function metricsText(env: FlushBindings, version: string): Promise<string> {
  await flush(env);
  const totals = await monitorOf(env).totals();
  return exposition(
    { ...METRICS, ...BUILD_INFO(version) },
    { ...totals, [`mailkeep_build_info|${version}`]: [1] },
  );
}

/** The metric whose label is the release, so that graphs show when it changed. */
const BUILD_INFO = (version: string) => ({
  mailkeep_build_info: {
    type: "gauge" as const,
    help: "1, with the release as a label.",
    labels: { version: [version] },
  },
});
