/** The key of this tab, and the mailbox that it reads. */
export interface Session {
  key: string;
  /** Null where the key has a mailbox of its own. */
  mailbox: string | null;
}

/**
 * The name in session storage, which survives a reload, belongs to this tab only and is erased when the tab is closed. Links out
 * of the viewer open without an opener, so no other tab inherits it (HTML Standard, 7.3.1.3).
 */
const NAME = "mailbox-session";

/** Returns the session of this tab; null before signing in. */
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
