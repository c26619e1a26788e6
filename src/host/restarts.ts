/** How a workerd that died is started again. */
export interface RestartOptions {
  /** Starts workerd again; rejects if it died before it listened. */
  start(): Promise<unknown>;
  /** Called when workerd died too often. */
  onDead(reason: string): void;
  /** Called when workerd runs again, as another process: after a death, or after it was ended on purpose. */
  onRestart(): void;
  log(line: string): void;
}

/** A workerd that dies more often within the window has a lasting fault. */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

/** Counts the deaths of workerd, and starts it again if Miniflare does not. */
export class Restarts {
  readonly #options: RestartOptions;
  #deathsMs: number[] = [];
  #isStopped = false;
  /** Called when workerd runs again after it was ended on purpose; null: it was not. */
  #planned: (() => void) | null = null;

  constructor(options: RestartOptions) {
    this.#options = options;
  }

  /** Call when workerd died and Miniflare has started it again. */
  restarted(): void {
    if (this.#planned !== null || this.#survives("")) this.#announce();
  }

  /** Call before workerd is ended so that Miniflare starts another one: that is no death. Resolves when the other one runs. */
  plan(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#planned = resolve;
    return promise;
  }

  /** Call when workerd died, and died again while Miniflare restarted it: Miniflare tries only once. */
  async failed(error: Error): Promise<void> {
    // The death that Miniflare restarted it for.
    if (this.#planned === null) this.#note();
    for (let cause: unknown = error; !this.#isStopped;) {
      if (!this.#survives(`, at last while it started: ${firstLine(cause)}`)) return;
      try {
        await this.#options.start();
        if (!this.#isStopped) this.#announce();
        return;
      } catch (again) {
        cause = again;
      }
    }
  }

  /** Call before workerd is stopped on purpose. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Counts one death; false if it was one too many. */
  #survives(circumstance: string): boolean {
    const count = this.#note();
    if (count <= MAX_RESTARTS) return true;
    this.#isStopped = true;
    this.#options.onDead(`workerd died ${count} times within a minute${circumstance}`);
    return false;
  }

  #note(): number {
    const nowMs = Date.now();
    this.#deathsMs = [...this.#deathsMs.filter((atMs) => atMs > nowMs - RESTART_WINDOW_MS), nowMs];
    return this.#deathsMs.length;
  }

  #announce(): void {
    if (this.#planned === null) this.#options.log("workerd died and was started again");
    this.#options.onRestart();
    this.#planned?.();
    this.#planned = null;
  }
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n", 1)[0] ?? "";
}
