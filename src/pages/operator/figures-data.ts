import { METRICS, type Door, type Reason } from "../../contract/metrics.ts";
import type { RefusalReason } from "../../contract/rules.ts";
import { addSeries, type Series } from "../../lib/metrics.ts";
import type { Figures } from "../../metrics/monitor.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A range of time that the console shows, in steps of equal length. The last step is not over yet. */
export interface Range {
  name: "hour" | "day" | "month";
  /** The resolution of the counts that the steps are made of: minutes or hours. */
  span: "minute" | "hour";
  stepMs: number;
  steps: number;
}

export const RANGES = {
  hour: { name: "hour", span: "minute", stepMs: MINUTE_MS, steps: 60 },
  month: { name: "month", span: "hour", stepMs: DAY_MS, steps: 30 },
} as const satisfies Record<string, Range>;

/** In which what needs attention happened. */
export const LAST_DAY: Range = { name: "day", span: "hour", stepMs: HOUR_MS, steps: 24 };

/** The metrics that the console shows. */
export const SHOWN = [
  "mailkeep_receipts_total",
  "mailkeep_refusals_total",
  "mailkeep_rule_refusals_total",
  "mailkeep_sends_total",
  "mailkeep_webhook_attempts_total",
  "mailkeep_receipt_seconds",
] as const;

/** When the first step of a range begins, in ms since 1970. */
export function startOf({ stepMs, steps }: Range, nowMs: number): number {
  return nowMs - (nowMs % stepMs) - (steps - 1) * stepMs;
}

/** One kind of value in a plot, with its value in each step. */
export interface Line {
  name: string;
  values: readonly number[];
}

/** Refusals for one reason. */
export interface RefusalCount {
  /** `rules`: the rules of a mailbox, by whatever door the mail came. */
  door: Door | "rules";
  reason: Reason | RefusalReason;
  count: number;
}

/** Everything that the page draws. */
export interface Shown {
  /** When each step begins, in ms since 1970. */
  times: readonly number[];
  receipts: readonly Line[];
  sends: readonly Line[];
  webhooks: readonly Line[];
  /** In seconds; 0 where nothing was received. */
  latency: readonly Line[];
  /** Of the whole range, the most frequent first. */
  refusals: readonly RefusalCount[];
}

/** Sorts counts into the steps of a range. Counts outside of it are left out. */
export function shownFigures(range: Range, figures: readonly Figures[], nowMs: number): Shown {
  const start = startOf(range, nowMs);
  const times = Array.from({ length: range.steps }, (_, step) => start + step * range.stepMs);
  const steps: Series[] = times.map(() => ({}));
  for (const { at, series } of figures) {
    const step = steps[Math.floor((at - start) / range.stepMs)];
    if (step !== undefined) addSeries(step, series);
  }
  const line = (name: string, ...keys: string[]): Line => ({
    name,
    values: steps.map((step) => sumOf(step, keys)),
  });
  const sent = (name: string, ...outcomes: string[]): Line =>
    line(
      name,
      ...outcomes.flatMap((outcome) =>
        ["inside", "outside"].map((way) => `mailkeep_sends_total|${way}|${outcome}`),
      ),
    );
  const failures = METRICS.mailkeep_webhook_attempts_total.labels.outcome.filter(
    (one) => one !== "delivered",
  );
  return {
    times,
    receipts: METRICS.mailkeep_receipts_total.labels.door.map((door) =>
      line(door, `mailkeep_receipts_total|${door}|stored`),
    ),
    sends: [
      sent("taken", "taken", "kept"),
      sent("put off", "deferred"),
      sent("failed", "refused", "unanswered", "impossible"),
    ],
    webhooks: [line("failed", ...failures.map((outcome) => `mailkeep_webhook_attempts_total|${outcome}`))],
    latency: [0.5, 0.95].map((share) => ({
      name: share === 0.5 ? "median" : "95 of 100 within",
      values: steps.map((step) => receiptSeconds(step, share)),
    })),
    refusals: refusalsOf(steps),
  };
}

function sumOf(series: Series, keys: readonly string[]): number {
  return keys.reduce((sum, key) => sum + (series[key]?.[0] ?? 0), 0);
}

/** A quantile of the time of receipts, estimated from the histogram. */
function receiptSeconds(series: Series, share: number): number {
  const { bounds, labels } = METRICS.mailkeep_receipt_seconds;
  const all: Series = {};
  for (const door of labels.door) addSeries(all, { all: series[`mailkeep_receipt_seconds|${door}`] ?? [] });
  return quantile(share, bounds, all["all"] ?? []);
}

/**
 * A quantile of a histogram: the value that this share of the observations does not exceed, if they are spread evenly in each
 * bucket. 0 without observations; the last bound if it is above that.
 */
export function quantile(share: number, bounds: readonly number[], values: readonly number[]): number {
  const counts = values.slice(0, bounds.length + 1);
  const wanted = share * counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  for (const [index, bound] of bounds.entries()) {
    const count = counts[index] ?? 0;
    if (count > 0 && before + count >= wanted) {
      const below = bounds[index - 1] ?? 0;
      return below + ((bound - below) * (wanted - before)) / count;
    }
    before += count;
  }
  return wanted === 0 ? 0 : (bounds.at(-1) ?? 0);
}

function refusalsOf(steps: readonly Series[]): RefusalCount[] {
  const { door: doors, reason: reasons } = METRICS.mailkeep_refusals_total.labels;
  const counts = doors.flatMap((door) =>
    reasons.map((reason) => ({
      door,
      reason,
      count: steps.reduce((sum, step) => sum + sumOf(step, [`mailkeep_refusals_total|${door}|${reason}`]), 0),
    })),
  );
  const byRules = METRICS.mailkeep_rule_refusals_total.labels.reason.map((reason) => ({
    door: "rules" as const,
    reason,
    count: steps.reduce((sum, step) => sum + sumOf(step, [`mailkeep_rule_refusals_total|${reason}`]), 0),
  }));
  // The doors count these as well, except where another recipient takes the message: each is shown once.
  const others = counts.filter(({ reason }) => !reason.startsWith("sender_"));
  return [...others, ...byRules]
    .filter(({ count }) => count > 0)
    .toSorted((one, two) => two.count - one.count);
}
