import path from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { workerdPids } from "../../src/host/processes.ts";
import { embed, productWorker } from "./bundles.ts";
import { preciseCpuMs } from "./process-cost.ts";

/** CPU that the runtime uses from its start to the first answer, in ms: with the service's script, and with an empty one. */
export interface StartResults {
  rounds: number;
  scriptMs: number;
  emptyMs: number;
}

const ROUNDS = 7;

/** A worker with the same actors and nothing in them. */
const EMPTY = `
import { DurableObject } from "cloudflare:workers";
export class Mailbox extends DurableObject {}
export class Directory extends DurableObject {}
export class ClientBudget extends DurableObject {}
export class ClaimSession extends DurableObject {}
export class Domain extends DurableObject {}
export class Monitor extends DurableObject {}
export default { fetch: () => new Response("ok") };
`;

/** Starts both scripts in turn, and takes the median of each: the cost of a script is the difference. */
export async function measureStart(tempDir: string, bindings: Record<string, string>): Promise<StartResults> {
  const service = productWorker(bindings);
  const empty: V4WorkerOptions = {
    ...service,
    modules: [{ type: "ESModule", path: path.join(tempDir, "empty.js"), contents: EMPTY }],
    modulesRoot: tempDir,
  };
  const script: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    floor.push(await startOnce(path.join(tempDir, `start-empty-${round}`), empty));
    script.push(await startOnce(path.join(tempDir, `start-${round}`), service));
  }
  return { rounds: ROUNDS, scriptMs: median(script), emptyMs: median(floor) };
}

async function startOnce(dataDir: string, worker: V4WorkerOptions): Promise<number> {
  const before = new Set(workerdPids(process.pid));
  const runtime = await embed(dataDir, [worker]);
  try {
    await (await runtime.dispatchFetch("http://localhost/livez")).text();
    const pid = workerdPids(process.pid).find((one) => !before.has(one));
    if (pid === undefined) throw new Error("the runtime that was started is not to be found");
    return preciseCpuMs(pid);
  } finally {
    await runtime.dispose();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, two) => one - two)[Math.floor(values.length / 2)] ?? Number.NaN;
}
