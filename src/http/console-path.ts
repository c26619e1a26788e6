/** The path of the operator console. */
export const CONSOLE = "/operator";

const WITH_TOKEN = /^\/operator\/([0-9a-f]{64})(?=[/?]|$)/;

/** Splits a path of the console into the session's page token, if it has one, and the page's path without it. */
export function consolePathOf(path: string): { token: string | null; page: string } {
  const [before = "", token = null] = WITH_TOKEN.exec(path) ?? [];
  return token === null ? { token, page: path } : { token, page: CONSOLE + path.slice(before.length) };
}

/** The path of a console page with the session's page token in it. */
export function withToken(page: string, token: string): string {
  return `${CONSOLE}/${token}${page.slice(CONSOLE.length)}`;
}
