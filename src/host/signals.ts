/** One Ctrl-C may arrive twice, from the terminal and from npm: signals within this time count as one. */
const ECHO_MS = 1_000;

/** How the server stops. */
export interface StopOptions {
  say: (line: string) => void;
  /** Lets deliveries under way finish, then ends everything. */
  stop: () => Promise<void>;
  onError: (error: unknown) => void;
}

/** Stops the server at the first signal, and exits without waiting at the second. */
export function stopOnSignals({ say, stop, onError }: StopOptions): void {
  let stoppingSinceMs: number | null = null;
  const handle = (): void => {
    const nowMs = performance.now();
    if (stoppingSinceMs !== null) {
      if (nowMs - stoppingSinceMs > ECHO_MS) process.exit(130);
      return;
    }
    stoppingSinceMs = nowMs;
    say("Stopping (again to force)");
    stop().then(() => process.exit(0), onError);
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
  process.on("SIGHUP", handle);
  // run.mjs, which forwards the signals of the terminal, is gone.
  process.once("disconnect", handle);
}
