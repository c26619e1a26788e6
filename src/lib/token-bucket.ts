const WINDOW_MS = 60_000;

/** Allows `limit` calls a minute: all at once after a quiet minute, then one at a time as tokens return evenly. Kept in memory only. */
export class TokenBucket {
  /** Tokens that were taken and have not returned yet. */
  #taken = 0;
  #at = 0;

  /** Takes a token. Returns 0 if there was one, else the seconds until there is. */
  take(limit: number, nowMs: number): number {
    // If the clock moves backwards, no token returns and none is lost.
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
