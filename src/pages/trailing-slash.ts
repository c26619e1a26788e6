import { urlOf } from "../http/request-url.ts";
import { pageHeaders } from "./policy.ts";

/**
 * Redirects a path that ends in a slash to the path without it and keeps the query; null for other paths. The redirect stays
 * on this host: without its slash, `//evil.example/` would name another host.
 */
export function withoutTrailingSlash(request: Request): Response | null {
  const { pathname, search } = urlOf(request);
  if (!/^\/[^/\\]/.test(pathname) || !pathname.endsWith("/")) return null;
  const headers = { ...pageHeaders(), Location: `${pathname.slice(0, -1)}${search}` };
  return new Response(null, { status: 308, headers });
}
