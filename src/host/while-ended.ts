/** The means to end and start workerd. */
export interface RuntimeProcess {
  /** Call before workerd is ended on purpose. Resolves when another one runs. */
  plan(): Promise<void>;
  /** Ends workerd gracefully within a time, calls `onExit` when it ends, and resolves to whether it has. */
  drain(limitMs: number, onExit: () => void): Promise<boolean>;
  /** Ends workerd at once. */
  kill(): void;
}

/**
 * Ends workerd, does `work` while none runs, and resolves when another one runs. Rejects then with the error of `work`, or if
 * `work` was not done because workerd had just died by itself.
 */
export async function whileEnded(runtime: RuntimeProcess, work: () => void, graceMs: number): Promise<void> {
  const running = runtime.plan();
  let outcome: { error: unknown } | "done" = {
    error: new Error("the runtime was just being started again: run the command again"),
  };
  const hasEnded = await runtime.drain(graceMs, () => {
    // Thrown here, an error would keep Miniflare from starting workerd again.
    try {
      work();
      outcome = "done";
    } catch (error) {
      outcome = { error };
    }
  });
  if (!hasEnded) runtime.kill();
  await running;
  throwUnlessDone(outcome);
}

function throwUnlessDone(outcome: { error: unknown } | "done"): void {
  if (outcome !== "done") throw outcome.error;
}
