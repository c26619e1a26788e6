import { CONSOLE, consolePathOf, withToken } from "../../http/console-path.ts";

type Query = Record<string, string>;

/** Where the pages of the console are, for the session of a page token. */
export function consoleLinks(token: string) {
  const base = withToken(CONSOLE, token);
  const mailbox = (address: string, query: Query = {}) =>
    withQuery(`${base}/mailboxes/${encodeURIComponent(address)}`, query);
  const outboxOf = (address: string, query: Query = {}) =>
    withQuery(`${base}/outbox/${encodeURIComponent(address)}`, query);
  return {
    mailboxes: (query: Query = {}) => withQuery(base, query),
    create: `${base}/mailboxes/new`,
    mailbox,
    act: (address: string, action: "pause" | "resume" | "delete") => `${mailbox(address)}/${action}`,
    webhooks: (query: Query = {}) => withQuery(`${base}/webhooks`, query),
    outbox: `${base}/outbox`,
    outboxOf,
    kept: (address: string, id: string) => `${outboxOf(address)}/${id}`,
    settings: `${base}/settings`,
    signOut: `${base}/sign-out`,
  } as const;
}

export type ConsoleLinks = ReturnType<typeof consoleLinks>;

/** Where one signs in; nobody has a token yet. */
export function signInLink(query: Query = {}): string {
  return withQuery(`${CONSOLE}/sign-in`, query);
}

/** What is "" is left out. */
function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The page of the console that somebody asks to be led back to, without a token; the first one for anything else. */
export function wantedPage(text: string | null): string {
  if (text === null || !/^\/operator(?:[/?][\x21-\x7e]{0,500})?$/.test(text)) return CONSOLE;
  return consolePathOf(text).page;
}

/** Leads a browser to a page with GET, whatever it came with. */
export function seeOther(path: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: path, "Cache-Control": "no-store", ...headers },
  });
}
