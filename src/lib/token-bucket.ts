const WINDOW_MS = 60_000;

/** Lets so many calls a minute pass: as many at once after a quiet minute, and then as they come back, evenly. In memory alone. */
export class TokenBucket {
  /** What was taken and did not come back yet. */
  #taken = 0;
  #at = 0;

  /** Takes one of `limit` a minute. Answers the seconds after which one is there again; 0 if it was taken. */
  take(limit: number, nowMs: number): number {
    // A clock that goes back gives nothing, and takes nothing.
    const passedMs = Math.max(0, nowMs - this.#at);
    this.#taken = Math.max(0, this.#taken - (passedMs / WINDOW_MS) * limit);
    this.#at = nowMs;
    if (this.#taken + 1 > limit) {
      return Math.max(1, Math.ceil(((this.#taken + 1 - limit) * WINDOW_MS) / limit / 1_000));
    }
    this.#taken += 1;
    return 0;
  }
}
