/**
 * When the alarm of an actor must ring: at the earliest due time, at once if that has passed, null if nothing is due. Times are
 * ms since 1970; a null entry is a job that is not due.
 */
export function nextWake(due: readonly (number | null)[], nowMs: number): number | null {
  const dates = due.filter((date) => date !== null);
  return dates.length === 0 ? null : Math.max(nowMs, Math.min(...dates));
}

/** Where the platform keeps the alarm of an actor. */
type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

/** The one alarm of an actor. An alarm is a row of the actor's own database, so setting it is part of the transaction. */
export class AlarmClock {
  readonly #storage: AlarmStorage;
  /** When it rings, as this instance knows it. Asking the storage at each receipt would cost too much. */
  #armed: number | null = null;

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /** Sets the alarm to the earliest of `due`, which must be everything that is due; clears it if nothing is. */
  async set(due: readonly (number | null)[]): Promise<void> {
    const wake = nextWake(due, Date.now());
    this.#armed = wake;
    const armed = await this.#storage.getAlarm();
    // Meanwhile `atLatest` set an earlier time.
    if (this.#armed !== wake) return;
    if (wake === null && armed !== null) await this.#storage.deleteAlarm();
    if (wake !== null && wake !== armed) await this.#storage.setAlarm(wake);
  }

  /** Moves the alarm to `ms` if it would ring later. For a caller that knows of one due time and not of all others. */
  atLatest(ms: number): void {
    if (this.#armed !== null && this.#armed <= ms) return;
    this.#armed = ms;
    // Not awaited: it is written with everything else of this turn, and answers wait for that.
    void this.#storage.setAlarm(ms);
  }

  /** Notes that the alarm rang, which clears it. */
  rang(): void {
    this.#armed = null;
  }
}
