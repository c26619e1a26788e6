import type { Config } from "../env.ts";
import { urlOf } from "./request-url.ts";

/**
 * Whether a page of ours sent a request, as its browser tells in headers that no page can write (Fetch Metadata, and RFC 6454
 * where a browser or plain http has none). A request that tells nothing is taken for another's.
 */
export function isSameOrigin(request: Request, config: Config): boolean {
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  const origin = request.headers.get("Origin");
  const own = [urlOf(request).origin, config.publicUrl === null ? null : new URL(config.publicUrl).origin];
  return origin !== null && origin !== "null" && own.includes(origin);
}
