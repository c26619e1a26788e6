import { setTimeout as sleep } from "node:timers/promises";

/** Limits how many bytes a second are read. */
export class Pace {
  readonly #bytesPerSecond: number;
  readonly #signal: AbortSignal;
  #freeAtMs = 0;

  /** @param bytesPerSecond Infinity: no limit. */
  constructor(bytesPerSecond: number, signal: AbortSignal) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#signal = signal;
  }

  /** Resolves when `bytes` more may be read; rejects once the command was interrupted. */
  async spend(bytes: number): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#bytesPerSecond === Infinity) return;
    const nowMs = performance.now();
    const startMs = Math.max(nowMs, this.#freeAtMs);
    this.#freeAtMs = startMs + (bytes * 1_000) / this.#bytesPerSecond;
    if (startMs > nowMs) await sleep(startMs - nowMs, undefined, { signal: this.#signal });
  }
}
