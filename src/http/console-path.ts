/** Where the operator console begins. */
export const CONSOLE = "/operator";

const WITH_TOKEN = /^\/operator\/([0-9a-f]{64})(?=[/?]|$)/;

/** A path of the console in two: the page token of a session, if there is one, and the page as it is called without. */
export function consolePathOf(path: string): { token: string | null; page: string } {
  const [before = "", token = null] = WITH_TOKEN.exec(path) ?? [];
  return token === null ? { token, page: path } : { token, page: CONSOLE + path.slice(before.length) };
}

/** A page of the console, as a session comes to it. */
export function withToken(page: string, token: string): string {
  return `${CONSOLE}/${token}${page.slice(CONSOLE.length)}`;
}
