import { urlOf } from "../http/request-url.ts";
import { pageHeaders } from "./policy.ts";

/**
 * Leads who asks for a page with a slash at its end to the page without it, the query kept; null where there is none to take
 * away. It stays on this host: of `//evil.example/` a path would be left that names another one.
 */
export function withoutTrailingSlash(request: Request): Response | null {
  const { pathname, search } = urlOf(request);
  if (!/^\/[^/\\]/.test(pathname) || !pathname.endsWith("/")) return null;
  const headers = { ...pageHeaders(), Location: `${pathname.slice(0, -1)}${search}` };
  return new Response(null, { status: 308, headers });
}
