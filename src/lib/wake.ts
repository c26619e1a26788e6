/**
 * When the one alarm of an actor must ring: the earliest due time, at once when it has passed, null when nothing is due.
 * `due` and the answer are ms since 1970; null entries are jobs without a date.
 */
export function nextWake(due: readonly (number | null)[], nowMs: number): number | null {
  const dates = due.filter((date) => date !== null);
  return dates.length === 0 ? null : Math.max(nowMs, Math.min(...dates));
}

/** Where the platform keeps the alarm of an actor. */
type AlarmStorage = Pick<DurableObjectStorage, "getAlarm" | "setAlarm" | "deleteAlarm">;

/** The one alarm of an actor. An alarm is a row of the actor's own database: set within a transaction, it is part of it. */
export class AlarmClock {
  readonly #storage: AlarmStorage;
  /** When it rings, as far as this instance knows: asking the storage costs a receipt more than it needs. */
  #armed: number | null = null;

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /** Rings at the earliest of `due`, which is all that is due; not at all if nothing is. */
  async set(due: readonly (number | null)[]): Promise<void> {
    const wake = nextWake(due, Date.now());
    this.#armed = wake;
    const armed = await this.#storage.getAlarm();
    // Meanwhile something that is due earlier was told of.
    if (this.#armed !== wake) return;
    if (wake === null && armed !== null) await this.#storage.deleteAlarm();
    if (wake !== null && wake !== armed) await this.#storage.setAlarm(wake);
  }

  /** Rings at `ms` at the latest; for whoever learns of one thing that is due and need not ask for all others. */
  atLatest(ms: number): void {
    if (this.#armed !== null && this.#armed <= ms) return;
    this.#armed = ms;
    // Not awaited: it is written with whatever this turn writes, and answers wait for that.
    void this.#storage.setAlarm(ms);
  }

  /** It rang, and with that it is cleared. */
  rang(): void {
    this.#armed = null;
  }
}
