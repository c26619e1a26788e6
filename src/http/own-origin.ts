import type { Problem } from "../contract/problem.ts";
import type { Config } from "../env.ts";
import { urlOf } from "./request-url.ts";

/**
 * What stands in the way of a request that only a page of ours may make; null if it is one. A browser writes these headers
 * itself, so no other site's page can send ours; what is no browser has no cookie of anybody to misuse.
 */
export function foreignOrigin(request: Request, config: Config): Problem | null {
  const origin = request.headers.get("Origin");
  const own = [
    urlOf(request).origin,
    ...(config.publicUrl === null ? [] : [new URL(config.publicUrl).origin]),
  ];
  const isOwn =
    origin === null ? request.headers.get("Sec-Fetch-Site") === "same-origin" : own.includes(origin);
  return isOwn ? null : { code: "foreign_origin", error: "This is for the pages of this deployment alone" };
}
