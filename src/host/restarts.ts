/** What becomes of a workerd that died. */
export interface RestartOptions {
  /** Starts workerd once more; rejects when it died before it listened. */
  start(): Promise<unknown>;
  /** Called when workerd died too often. */
  onDead(reason: string): void;
  /** Called when workerd runs again, as another process. */
  onRestart(): void;
  log(line: string): void;
}

/** A workerd that dies more often is broken, not unlucky (wire contract, part 5). */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

/** Counts the deaths of workerd, and starts it again where Miniflare does not. */
export class Restarts {
  readonly #options: RestartOptions;
  #deathsMs: number[] = [];
  #isStopped = false;

  constructor(options: RestartOptions) {
    this.#options = options;
  }

  /** workerd died, and Miniflare has started it again. */
  restarted(): void {
    if (this.#survives("")) this.#announce();
  }

  /** workerd died, and again while Miniflare restarted it, which Miniflare does not try twice. */
  async failed(error: Error): Promise<void> {
    // The death that Miniflare restarted it for.
    this.#note();
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

  /** From now on a dead workerd is what was wanted. */
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
    this.#options.log("workerd died and was started again");
    this.#options.onRestart();
  }
}

function firstLine(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.split("\n", 1)[0] ?? "";
}
