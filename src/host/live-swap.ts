import { swapMailbox } from "./backup/mailbox-swap.ts";
import { tellWorker } from "./drain.ts";
import type { HostReadiness } from "./readiness.ts";
import { Refusal } from "./refusal.ts";
import type { RuntimeGate } from "./runtime-gate.ts";
import type { Runtime } from "./runtime.ts";

/** How long requests and deliveries under way may take to finish before the runtime is ended, in ms. */
const GRACE_MS = 5_000;

/** The parts of a running server that a swap uses. */
export interface RunningServer {
  dataDir: string;
  /** Address of the worker on this machine. */
  worker: string;
  readiness: Pick<HostReadiness, "drain" | "resume">;
  gate: RuntimeGate;
  runtime: Pick<Runtime, "whileEnded">;
  log: (line: string) => void;
}

/**
 * Swaps in a restored mailbox while the server runs. workerd keeps databases open and reads alarms only when it starts, so it is
 * ended for the swap and started again. Mail, and requests through the front, wait meanwhile; streams end early, so that clients
 * go on from their cursor. Rejects with a {@link Refusal} while another swap runs or the server stops.
 *
 * @returns a function that resolves to how long the runtime did not answer, in ms.
 */
export function liveSwap({
  dataDir,
  worker,
  readiness,
  gate,
  runtime,
  log,
}: RunningServer): () => Promise<number> {
  let isSwapping = false;
  return async () => {
    if (isSwapping) throw new Refusal("another restore runs: try again when it has ended");
    isSwapping = true;
    try {
      readiness.drain();
      await tellWorker(`${worker}/readyz`);
      gate.close();
      const beganMs = performance.now();
      await runtime.whileEnded(() => swapMailbox(dataDir), GRACE_MS);
      const pausedMs = performance.now() - beganMs;
      log(`A mailbox was restored; the server paused for ${Math.round(pausedMs)} ms`);
      return pausedMs;
    } finally {
      gate.open();
      readiness.resume();
      isSwapping = false;
    }
  };
}
