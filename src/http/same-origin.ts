import type { Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { urlOf } from "./request-url.ts";

/**
 * Whether a page of ours sent a request, as its browser tells in headers that no page can write: Fetch Metadata and Origin
 * (RFC 6454). Each that is there must say so, and one must be there.
 */
export function isSameOrigin(request: Request, config: Config): boolean {
  const site = request.headers.get("Sec-Fetch-Site");
  const origin = request.headers.get("Origin");
  if (site === null && origin === null) return false;
  return (
    (site === null || site === "same-origin") && (origin === null || ownOrigins(request, config).has(origin))
  );
}

/** The refusal of a request that only a page of ours may make; null if one made it. */
export function foreignOrigin(request: Request, config: Config): Problem | null {
  if (isSameOrigin(request, config)) return null;
  return { code: "foreign_origin", error: "This is for the pages of this deployment alone" };
}

function ownOrigins(request: Request, { publicUrl }: Config): Set<string> {
  const { origin, host } = urlOf(request);
  // A proxy that ends TLS asks by http for what the browser asked by https.
  const own = [origin, `https://${host}`];
  return new Set(publicUrl === null ? own : [...own, new URL(publicUrl).origin]);
}
