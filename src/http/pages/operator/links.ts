const CONSOLE = "/operator";

/** Where the pages of the console are. */
export const links = {
  mailboxes: (query: Record<string, string> = {}) => withQuery(CONSOLE, query),
  create: `${CONSOLE}/mailboxes/new`,
  mailbox: (address: string, query: Record<string, string> = {}) =>
    withQuery(`${CONSOLE}/mailboxes/${encodeURIComponent(address)}`, query),
  act: (address: string, action: "pause" | "resume" | "delete") => `${links.mailbox(address)}/${action}`,
  webhooks: (query: Record<string, string> = {}) => withQuery(`${CONSOLE}/webhooks`, query),
  outbox: `${CONSOLE}/outbox`,
  outboxOf: (address: string, query: Record<string, string> = {}) =>
    withQuery(`${CONSOLE}/outbox/${encodeURIComponent(address)}`, query),
  kept: (address: string, id: string) => `${links.outboxOf(address)}/${id}`,
  settings: `${CONSOLE}/settings`,
  signIn: (query: Record<string, string> = {}) => withQuery(`${CONSOLE}/sign-in`, query),
  signOut: `${CONSOLE}/sign-out`,
} as const;

/** What is "" is left out. */
function withQuery(path: string, query: Record<string, string>): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/**
 * A path of ours that somebody asks to be led back to; the console for anything else. A second slash or a backslash would
 * name another host.
 */
export function ownPath(text: string | null): string {
  return text !== null && /^\/(?![/\\])[\x21-\x7e]{0,500}$/.test(text) ? text : CONSOLE;
}

/** Leads a browser to a page with GET, whatever it came with. */
export function seeOther(path: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: path, "Cache-Control": "no-store", ...headers },
  });
}
