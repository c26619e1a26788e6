/** A session with a relay that can carry another message. */
export interface IdleSession {
  isOpen: boolean;
  /** Messages that it carried or tried to carry. */
  transactions: number;
  /** Sends QUIT. */
  quit: () => void;
  /** Closes the connection at once. */
  destroy: () => void;
}

/** The most messages of one session; common relays accept about a hundred. */
const MAX_TRANSACTIONS = 100;
/**
 * How long a session stays open without a message, in ms. An open session keeps the actor in memory, and relays close idle
 * sessions after a few minutes.
 */
const IDLE_LIMIT_MS = 2_000;

/** Open sessions that wait a short time for the next message. */
export class IdleSessions<Session extends IdleSession> {
  readonly #idle: { session: Session; timer: ReturnType<typeof setTimeout> }[] = [];

  /** The most recently used session that is still open; null if there is none. */
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
