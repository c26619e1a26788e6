/** A session with a relay that can carry one message more. */
export interface KeptSession {
  isOpen: boolean;
  /** Messages that it has carried, or was asked to. */
  transactions: number;
  /** Says goodbye. */
  quit: () => void;
  /** Ends at once. */
  destroy: () => void;
}

/** Common relays take some hundred messages in a session. */
const MAX_TRANSACTIONS = 100;
/** An idle session keeps the actor in memory, and relays end one after a few minutes themselves. */
const IDLE_LIMIT_MS = 2_000;

/** Sessions that wait for the next message, for a short while. */
export class IdleSessions<Session extends KeptSession> {
  readonly #idle: { session: Session; timer: ReturnType<typeof setTimeout> }[] = [];

  /** The one used last that is still open; null if there is none. */
  take(): Session | null {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.session.isOpen) return kept.session;
      kept.session.destroy();
    }
    return null;
  }

  keep(session: Session): void {
    if (!session.isOpen || session.transactions >= MAX_TRANSACTIONS) return session.quit();
    const kept = {
      session,
      timer: setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(kept), 1);
        session.quit();
      }, IDLE_LIMIT_MS),
    };
    this.#idle.push(kept);
  }
}
