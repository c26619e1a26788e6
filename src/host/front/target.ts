import type { IncomingMessage } from "node:http";

/** A host name or an IP address, with a port or none. Nothing in it can end the host of a URL. */
const HOST = /^(?:[a-z0-9_.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const ABSOLUTE = /^https?:\/\/([^/?#\\]*)(.*)$/is;

/** The host and the path that a request is for. */
export interface Target {
  host: string;
  /** Path and query, as they were sent. */
  path: string;
}

/**
 * The target of a request (RFC 9112 §3.2); null if it names no valid host, or several. An absolute target overrides the field
 * `Host`.
 */
export function targetOf(request: IncomingMessage): Target | null {
  const url = request.url ?? "";
  const [, absoluteHost, rest = ""] = ABSOLUTE.exec(url) ?? [];
  const host = absoluteHost ?? hostOf(request);
  const path = absoluteHost === undefined ? url : rest.startsWith("/") ? rest : `/${rest}`;
  return host !== null && HOST.test(host) && path.startsWith("/") ? { host, path } : null;
}

function hostOf(request: IncomingMessage): string | null {
  const hosts = valuesOf(request, "host");
  if (hosts.length > 1) return null;
  return hosts[0] ?? null;
}

/** The values of a header field, as often as it was sent. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** The length of a request's body in bytes; `unknown`: it comes in chunks; null: there is none. */
export function bodyOf(request: IncomingMessage): number | "unknown" | null {
  const length = request.headers["content-length"];
  if (length !== undefined) return Number(length);
  return request.headers["transfer-encoding"] === undefined ? noBody(request) : "unknown";
}

/** A method that usually has a body says by `Content-Length: 0` that it is empty (RFC 9110 §8.6). */
function noBody({ method }: IncomingMessage): 0 | null {
  return method === "POST" || method === "PUT" || method === "PATCH" ? 0 : null;
}

/** Whether a request's body has a transfer coding that the front cannot decode. */
export function isUnknownCoding(request: IncomingMessage): boolean {
  const coding = request.headers["transfer-encoding"];
  return coding !== undefined && coding.trim().toLowerCase() !== "chunked";
}
