import type { MeShape } from "./context.ts";

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
/** Beside it, what the key is for. */
const KNOWN = "mailbox-known";

/** The part of an answer that the page shows of a key before the service answers, so that nothing moves when it does. */
export type Known = Pick<MeShape, "mailbox" | "scope" | "send">;

/** Returns the session of this tab; null before signing in. */
export function storedSession(): Session | null {
  const [key, mailbox] = (sessionStorage.getItem(NAME) ?? "").split("\n");
  return key ? { key, mailbox: mailbox || null } : null;
}

export function storeSession({ key, mailbox }: Session): void {
  sessionStorage.removeItem(KNOWN);
  sessionStorage.setItem(NAME, `${key}\n${mailbox ?? ""}`);
}

/** Returns what the key of this tab was for when the service said so last; null before it did. */
export function storedKnown(): Known | null {
  return JSON.parse(sessionStorage.getItem(KNOWN) ?? "null") as Known | null;
}

export function storeKnown({ mailbox, scope, send }: Known): void {
  sessionStorage.setItem(KNOWN, JSON.stringify({ mailbox, scope, send }));
}

export function forgetSession(): void {
  sessionStorage.removeItem(NAME);
  sessionStorage.removeItem(KNOWN);
}
