import type { Config } from "../../config/env.ts";
import type { Problem } from "../../contract/problem.ts";
import { isLoopback } from "../../lib/client-network.ts";
import { siteOf, urlOf } from "../request-url.ts";

/**
 * The 403 of a request that a page of another site may have caused a browser to send: by DNS rebinding (the `Host` is then the
 * other site's), or openly (the `Origin` is). Null if both are this deployment's own, or there is no `Origin`.
 */
export function foreignSite(request: Request, config: Config): Problem | null {
  if (!isOwnHost(request, config)) {
    const fix =
      config.publicUrl === null
        ? "Ask the operator to set PUBLIC_URL to this address."
        : `Call ${config.publicUrl}.`;
    return foreign("The Host of this request is not this deployment's", fix);
  }
  const origin = request.headers.get("Origin");
  if (origin === null || isOwnOrigin(origin, request, config)) return null;
  return foreign("The Origin of this request is not this deployment's", "Call without an Origin header.");
}

function foreign(error: string, fix: string): Problem {
  return { code: "foreign_origin", error, fix };
}

/** Without PUBLIC_URL the deployment does not know its own name; over https the certificate then vouches for it. */
function isOwnHost(request: Request, { publicUrl }: Config): boolean {
  const { isHttps, isLoopback: isHere } = siteOf(request);
  if (isHere) return true;
  const { host, hostname } = urlOf(request);
  return publicUrl === null ? isHttps || isAddress(hostname) : new URL(publicUrl).host === host;
}

/** A browser resolves no IP address, so none can be rebound. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
}

function isOwnOrigin(origin: string, request: Request, { publicUrl }: Config): boolean {
  const sent = URL.parse(origin);
  if (sent === null) return false;
  const { host, hostname } = urlOf(request);
  // Programs with a page of their own, such as inspectors, run on this machine beside the server.
  if (isLoopback(hostname) && isLoopback(sent.hostname)) return true;
  return sent.host === host || (publicUrl !== null && new URL(publicUrl).origin === sent.origin);
}
