import type { Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { urlOf } from "./request-url.ts";

/**
 * Whether a page of this deployment sent a request, by the header fields that a browser sets and no page can: Fetch Metadata and
 * Origin (RFC 6454). At least one must be there, and each that is must agree. Not `hono/csrf`: it lets JSON pass, and any request
 * in which one of the two fields agrees.
 */
export function isSameOrigin(request: Request, config: Config): boolean {
  const site = request.headers.get("Sec-Fetch-Site");
  const origin = request.headers.get("Origin");
  if (site === null && origin === null) return false;
  return (
    (site === null || site === "same-origin") && (origin === null || ownOrigins(request, config).has(origin))
  );
}

/** The refusal of a request that only a page of this deployment may make; null if such a page made it. */
export function foreignOrigin(request: Request, config: Config): Problem | null {
  if (isSameOrigin(request, config)) return null;
  return { code: "foreign_origin", error: "This is for the pages of this deployment alone" };
}

function ownOrigins(request: Request, { publicUrl }: Config): Set<string> {
  const { origin, host } = urlOf(request);
  // A proxy that terminates TLS passes on over http what the browser asked over https.
  const own = [origin, `https://${host}`];
  return new Set(publicUrl === null ? own : [...own, new URL(publicUrl).origin]);
}
