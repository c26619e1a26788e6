import { CONSOLE, consolePathOf, withToken } from "../../http/console-path.ts";

type Query = Record<string, string>;

/** Returns the URLs of the console's pages for the session with this page token. */
export function consoleLinks(token: string) {
  const base = withToken(CONSOLE, token);
  const mailbox = (address: string, query: Query = {}) =>
    withQuery(`${base}/mailboxes/${encodeURIComponent(address)}`, query);
  const outboxOf = (address: string, query: Query = {}) =>
    withQuery(`${base}/outbox/${encodeURIComponent(address)}`, query);
  return {
    overview: (query: Query = {}) => withQuery(base, query),
    mailboxes: (query: Query = {}) => withQuery(`${base}/mailboxes`, query),
    create: `${base}/mailboxes/new`,
    mailbox,
    act: (address: string, action: "key" | "pause" | "resume" | "delete") => `${mailbox(address)}/${action}`,
    webhooks: (query: Query = {}) => withQuery(`${base}/webhooks`, query),
    outbox: `${base}/outbox`,
    outboxOf,
    unsent: (address: string, id: string) => `${outboxOf(address)}/${id}`,
    refusals: (query: Query = {}) => withQuery(`${base}/refusals`, query),
    halted: (query: Query = {}) => withQuery(`${base}/halted`, query),
    haltSending: `${base}/sending/halt`,
    resumeSending: `${base}/sending/resume`,
    doctor: `${base}/doctor`,
    settings: `${base}/settings`,
    signOut: `${base}/sign-out`,
  } as const;
}

export type ConsoleLinks = ReturnType<typeof consoleLinks>;

/** Returns the URL of the sign-in page, which needs no page token. */
export function signInLink(query: Query = {}): string {
  return withQuery(`${CONSOLE}/sign-in`, query);
}

/** The viewer, which asks for a key and then shows this mailbox. */
export function viewerLink(address: string): string {
  return withQuery("/mailbox", { address });
}

/** Adds a query, without its empty values. */
function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Returns a path of the console to go to after signing in, without its token; the first page for any other text. */
export function wantedPage(text: string | null): string {
  if (text === null || !/^\/operator(?:[/?][\x21-\x7e]{0,500})?$/.test(text)) return CONSOLE;
  return consolePathOf(text).page;
}

/** Redirects a browser to a page, which it then asks for with GET. */
export function seeOther(path: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: path, "Cache-Control": "no-store", ...headers },
  });
}
