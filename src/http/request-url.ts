import { isLoopback } from "../lib/client-network.ts";

const parsed = new WeakMap<Request, URL>();

/** The URL of a request; it is parsed once for each request. */
export function urlOf(request: Request): URL {
  let url = parsed.get(request);
  if (url === undefined) {
    url = new URL(request.url);
    parsed.set(request, url);
  }
  return url;
}

/** The query of a request as it was sent, in order. Most requests have none, and then their URL is not parsed. */
export function queryOf(request: Request): readonly (readonly [string, string])[] {
  return request.url.includes("?") ? [...urlOf(request).searchParams] : [];
}

/** The origin that a request was sent to. */
export interface Site {
  origin: string;
  isHttps: boolean;
  /** Whether the host is this machine. */
  isLoopback: boolean;
}

const sites = new Map<string, Site>();
/** A deployment has one or two names; clients may send others. */
const MAX_SITES = 32;
/** The part of a URL before its path. A backslash counts as a slash (WHATWG URL). */
const BEFORE_PATH = /^[a-z]+:\/\/[^/?#\\]+/i;

/** The `Host` header of a request, from which the runtime makes its URL, is no host. */
export class NoHostError extends Error {
  override readonly name = "NoHostError";
}

/**
 * The site of a request. Known sites are looked up, so that most URLs are not parsed. Throws `NoHostError` for a missing host,
 * where a URL parser would take the beginning of the path for the host.
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
