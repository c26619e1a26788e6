import { isLoopback } from "./client-address.ts";

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
const BEFORE_PATH = /^[a-z]+:\/\/[^/?#\\]*/i;

/** The site of a request. Requests come to the same few, so their URLs need not be parsed for it. */
export function siteOf({ url }: Request): Site {
  const text = BEFORE_PATH.exec(url)?.[0] ?? url;
  const known = sites.get(text);
  if (known !== undefined) return known;
  const { origin, protocol, hostname } = new URL(text);
  const site = { origin, isHttps: protocol === "https:", isLoopback: isLoopback(hostname) };
  if (sites.size >= MAX_SITES) sites.clear();
  sites.set(text, site);
  return site;
}
