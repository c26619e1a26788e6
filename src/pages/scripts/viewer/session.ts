/** Who looks into which mailbox. */
export interface Session {
  key: string;
  /** Null where the key has a mailbox of its own. */
  mailbox: string | null;
}

/**
 * Session storage: it outlives a reload, which memory would not, is seen by this tab alone, and goes when the tab is closed.
 * Links out of the viewer open without an opener, so that no other tab inherits it (HTML Standard, 7.3.1.3).
 */
const NAME = "mailbox-session";

/** The session of this tab; null before somebody signed in. */
export function storedSession(): Session | null {
  const [key, mailbox] = (sessionStorage.getItem(NAME) ?? "").split("\n");
  return key ? { key, mailbox: mailbox || null } : null;
}

export function storeSession({ key, mailbox }: Session): void {
  sessionStorage.setItem(NAME, `${key}\n${mailbox ?? ""}`);
}

export function forgetSession(): void {
  sessionStorage.removeItem(NAME);
}
