import type { Ledger } from "./ledger.ts";

/** One period of a run. Bytes are resident, or on disk. */
export interface Sample {
  minutes: number;
  /** Days that the clock was moved by. */
  day: number;
  workerdBytes: number;
  hostBytes: number;
  diskBytes: number;
  /** Bytes of the mail that is not deleted, as it was sent. */
  heldBytes: number;
  received: number;
  p99Ms: number;
  what: string;
}

const MB = 1_000_000;
/** The part of a run in which memory and disk may still grow. */
const GROWING_SHARE = 0.1;
/** Fewer samples say nothing about a slope. */
const MIN_SAMPLES = 15;
/** Growth over the judged part, as a share of the mean, that still counts as flat: the noise of a busy machine. */
const FLAT_SHARE = 0.15;

/** The growth of `values` over their whole length by a line fitted to them (least squares), in their own unit. */
export function growthOf(values: readonly number[]): number {
  const count = values.length;
  if (count < 2) return 0;
  const meanX = (count - 1) / 2;
  const meanY = values.reduce((sum, value) => sum + value, 0) / count;
  const above = values.reduce((sum, value, at) => sum + (at - meanX) * (value - meanY), 0);
  const below = values.reduce((sum, _, at) => sum + (at - meanX) ** 2, 0);
  return (above / below) * (count - 1);
}

/** Whether memory and disk stay flat after the first tenth, as sentences; an empty list of faults if they do. */
export function judgeGrowth(samples: readonly Sample[]): { sentences: string[]; faults: string[] } {
  const judged = samples.slice(Math.ceil(samples.length * GROWING_SHARE));
  if (judged.length < MIN_SAMPLES) {
    return {
      sentences: [`Growth is not judged: ${judged.length} samples are fewer than ${MIN_SAMPLES}.`],
      faults: [],
    };
  }
  const series: [string, (sample: Sample) => number][] = [
    ["workerd", ({ workerdBytes }) => workerdBytes],
    ["host", ({ hostBytes }) => hostBytes],
    ["disk", ({ diskBytes }) => diskBytes],
  ];
  const judgements = series.map(([name, of]) => {
    const values = judged.map(of);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const growth = growthOf(values);
    const sentence = `${name}: ${(growth / MB).toFixed(1)} MB of growth over the last nine tenths, mean ${(mean / MB).toFixed(0)} MB`;
    return { sentence, isFlat: growth <= mean * FLAT_SHARE };
  });
  return {
    sentences: judgements.map(({ sentence }) => sentence),
    faults: judgements.filter(({ isFlat }) => !isFlat).map(({ sentence }) => `not flat: ${sentence}`),
  };
}

/** The line of one period. */
export function lineOf(sample: Sample, ledger: Ledger): string {
  return (
    `minute ${sample.minutes.toFixed(1)}, day ${sample.day.toFixed(1)}: ${sample.received} received, p99 ${sample.p99Ms.toFixed(0)} ms, ` +
    `workerd ${mb(sample.workerdBytes)} MB, host ${mb(sample.hostBytes)} MB, disk ${mb(sample.diskBytes)} MB with ${mb(sample.heldBytes)} MB of mail; ` +
    `${ledger.counted("sent")} sent, ${ledger.counted("heard")} events heard, ${ledger.counted("deleted")} deleted in all; ` +
    `${sample.what}; wrong: ${ledger.faults.size}`
  );
}

/** All periods as a table in Markdown. */
export function tableOf(samples: readonly Sample[]): string {
  const head =
    "| Minute | Day | Received | p99, ms | workerd, MB | host, MB | Disk, MB | Mail held, MB | What happened |";
  const rows = samples.map(
    (one) =>
      `| ${one.minutes.toFixed(1)} | ${one.day.toFixed(1)} | ${one.received} | ${one.p99Ms.toFixed(0)} | ${mb(one.workerdBytes)} | ${mb(one.hostBytes)} | ${mb(one.diskBytes)} | ${mb(one.heldBytes)} | ${one.what} |`,
  );
  return [head, "| --- | --- | --- | --- | --- | --- | --- | --- | --- |", ...rows].join("\n");
}

const mb = (bytes: number): string => (bytes / MB).toFixed(0);
