import { METRICS } from "../contract/metrics.ts";
import { Registry } from "../lib/metrics.ts";

/** Everything that this isolate counted since it last handed its counts to the monitor. */
export const metrics = new Registry(METRICS);

/** Seconds since `startMs`, a time of `performance.now()`. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1_000;
}
