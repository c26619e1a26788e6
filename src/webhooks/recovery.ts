const MINUTE_MS = 60_000;

/** The waits before the first probes of a failed target: one, five and thirty minutes after it failed. */
const FIRST_WAITS_MS: readonly number[] = [1 * MINUTE_MS, 4 * MINUTE_MS, 25 * MINUTE_MS];
const HOURLY_MS = 60 * MINUTE_MS;

/** The probes of a failed target: the first ones, then one an hour for three days. */
export const MAX_PROBES = FIRST_WAITS_MS.length + 72;

/** Events that the log no longer held when a target could have had them, from the first to the last `seq`. */
export interface Missed {
  from: number;
  to: number;
}

/** The events that a target has not received since its last success, and when it is probed next. */
export interface Recovery {
  /** Ids of deliveries, from the first that failed to the newest when the target failed. Those that did not arrive are sent again. */
  first: number;
  last: number;
  /** The newest event when the target failed. Later ones had no delivery: they are read from the log. */
  newest: number;
  /** Events up to this `seq` are delivered, or have a delivery that is under way. */
  sent: number;
  /** The number of probes so far. */
  probes: number;
  /** When the next probe is due, in ms since 1970. */
  probeAt: number;
}

function waitBefore(probes: number): number {
  return FIRST_WAITS_MS[probes] ?? HOURLY_MS;
}

/** A recovery that begins now, with all its probes. */
export function withFreshProbes(recovery: Omit<Recovery, "probes" | "probeAt">, nowMs: number): Recovery {
  return { ...recovery, probes: 0, probeAt: nowMs + waitBefore(0) };
}

/** When the next probe is due. If the clock was set back, no probe waits longer than its own wait. */
export function probeDue({ probes, probeAt }: Recovery, nowMs: number): number {
  return Math.min(probeAt, nowMs + waitBefore(probes));
}

/** The recovery once a probe has begun. */
export function afterProbe(recovery: Recovery, nowMs: number): Recovery {
  const probes = recovery.probes + 1;
  return { ...recovery, probes, probeAt: nowMs + waitBefore(probes) };
}

/** The recovery of a target that failed again before it had caught up: nothing of the first failure is forgotten. */
export function joined(before: Recovery | null, again: Recovery): Recovery {
  if (before === null) return again;
  return {
    ...again,
    first: Math.min(before.first, again.first),
    newest: Math.max(before.newest, before.sent),
  };
}

/** Adds events that the log has erased since; null = nothing is missing. */
export function withMissed(before: Missed | null, { from, to }: Missed): Missed {
  return before === null ? { from, to } : { from: Math.min(before.from, from), to: Math.max(before.to, to) };
}
