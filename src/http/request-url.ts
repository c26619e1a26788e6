import { isLoopback } from "../lib/client-network.ts";

const parsed = new WeakMap<Request, URL>();

/** The URL of a request, parsed once however many ask. */
export function urlOf(request: Request): URL {
  let url = parsed.get(request);
  if (url === undefined) {
    url = new URL(request.url);
    parsed.set(request, url);
  }
  return url;
}

/** A request's query as it was sent, in order; most requests have none, and read no URL for it. */
export function queryOf(request: Request): readonly (readonly [string, string])[] {
  return request.url.includes("?") ? [...urlOf(request).searchParams] : [];
}

/** Where a request was sent to, its path aside. */
export interface Site {
  origin: string;
  isHttps: boolean;
  /** Whether it is this machine. */
  isLoopback: boolean;
}

const sites = new Map<string, Site>();
/** A deployment has a name or two; clients may write others. */
const MAX_SITES = 32;
/** What of a URL stands before its path; a backslash is a slash in one (WHATWG URL). */
const BEFORE_PATH = /^[a-z]+:\/\/[^/?#\\]+/i;

/** The request was sent to what is no host: its `Host` header, of which the runtime makes the URL, is none. */
export class NoHostError extends Error {
  override readonly name = "NoHostError";
}

/**
 * The site of a request. Requests come to the same few, so their URLs need not be parsed for it. Throws `NoHostError`: a URL
 * parser would take the beginning of the path for a host that is left out.
 */
export function siteOf({ url }: Request): Site {
  const text = BEFORE_PATH.exec(url)?.[0] ?? "";
  const known = sites.get(text);
  if (known !== undefined) return known;
  const read = URL.parse(text);
  if (read === null) throw new NoHostError();
  const { origin, protocol, hostname } = read;
  const site = { origin, isHttps: protocol === "https:", isLoopback: isLoopback(hostname) };
  if (sites.size >= MAX_SITES) sites.clear();
  sites.set(text, site);
  return site;
}
