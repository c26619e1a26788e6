import type { Job, LoadClient, Outcome } from "./load.ts";
import { cpuMs } from "./process-cost.ts";

/** One thing to measure beside others. */
export interface Side {
  name: string;
  /** The job of one slice; messages of different rounds must differ. */
  job: (round: number) => Job;
  /** Processes whose CPU time counts. */
  pids: readonly number[];
}

/** The measurements of one side over all its slices. */
export interface Sample {
  name: string;
  count: number;
  p50Ms: number;
  p99Ms: number;
  perSecond: number;
  /** CPU of the server for one operation. */
  cpuMs: number;
  answerBytes: number;
}

/** Runs the sides in turn, round after round, so that noise of the machine affects all of them equally. */
export async function interleave(
  client: LoadClient,
  sides: readonly Side[],
  rounds: number,
): Promise<Sample[]> {
  const gathered = sides.map(() => ({ outcomes: [] as Outcome[], cpu: 0 }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, side] of sides.entries()) {
      const gathering = gathered[index];
      if (gathering === undefined) continue;
      const before = total(side.pids);
      gathering.outcomes.push(await client.run(side.job(round)));
      gathering.cpu += total(side.pids) - before;
    }
  }
  return sides.map((side, index) =>
    sampleOf(side.name, gathered[index]?.outcomes ?? [], gathered[index]?.cpu ?? 0),
  );
}

function sampleOf(name: string, outcomes: readonly Outcome[], cpu: number): Sample {
  const sorted = Float64Array.from(outcomes.flatMap(({ latenciesMs }) => [...latenciesMs])).toSorted();
  const count = sorted.length;
  const elapsedMs = outcomes.reduce((sum, one) => sum + one.elapsedMs, 0);
  const bytes = outcomes.reduce((sum, one) => sum + one.answerBytes * one.latenciesMs.length, 0);
  return {
    name,
    count,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    perSecond: elapsedMs === 0 ? 0 : (count / elapsedMs) * 1_000,
    cpuMs: count === 0 ? 0 : cpu / count,
    answerBytes: count === 0 ? 0 : bytes / count,
  };
}

/** The smallest value that the share `q` of all does not exceed. */
export function quantile(sorted: Float64Array, q: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

const total = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
