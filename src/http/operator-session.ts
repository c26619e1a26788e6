import type { Config } from "../env.ts";
import { digestsEqual, hmacHex } from "../lib/hash.ts";
import { isLoopback } from "./client-address.ts";
import { urlOf } from "./request-url.ts";

/** A working day; who needs longer signs in again. */
const LIFETIME_SECONDS = 8 * 3_600;
const COOKIE = "mailkeep_operator";
/** Bound to this host, https and all paths by the browser itself (RFC 6265bis §4.1.3.2). */
const SECURE_COOKIE = `__Host-${COOKIE}`;
const VALUE = /^(\d{1,15})\.([0-9a-f]{64})$/;

/** An operator who signed in with the key on a page. */
export interface OperatorSession {
  /** ms since 1970. */
  expiresAt: number;
}

/**
 * The operator's session of a request, from its cookie; null if there is none, or it is over. Only the operator's pages look
 * at it: the API under /v1 takes keys alone. Nothing is stored: the cookie is signed with the operator's key, so a changed
 * key ends all sessions.
 */
export function operatorSession(request: Request, config: Config): OperatorSession | null {
  if (config.operatorDigest === null) return null;
  const name = cookieName(request);
  for (const pair of (request.headers.get("Cookie") ?? "").split(/;\s*/)) {
    const [, expires, signature] = pair.startsWith(`${name}=`)
      ? (VALUE.exec(pair.slice(name.length + 1)) ?? [])
      : [];
    if (expires === undefined || signature === undefined) continue;
    const expiresAt = Number(expires);
    if (digestsEqual(signature, sign(config.operatorDigest, expiresAt)) && Date.now() < expiresAt) {
      return { expiresAt };
    }
  }
  return null;
}

/** The Set-Cookie that begins a session. The caller has seen the operator's key. */
export function beginSession(request: Request, operatorDigest: string): string {
  const expiresAt = Date.now() + LIFETIME_SECONDS * 1_000;
  return cookie(request, `${expiresAt}.${sign(operatorDigest, expiresAt)}`, LIFETIME_SECONDS);
}

/** The Set-Cookie that ends the session in this browser. */
export function endSession(request: Request): string {
  return cookie(request, "", 0);
}

/** The digest of the operator's key is kept nowhere but in memory, and is as hard to guess as the key. */
function sign(operatorDigest: string, expiresAt: number): string {
  return hmacHex(operatorDigest, `operator session\n${expiresAt}`);
}

function cookie(request: Request, value: string, maxAgeSeconds: number): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${cookieName(request)}=${value}; ${attributes}${isLocal(request) ? "" : "; Secure"}`;
}

function cookieName(request: Request): string {
  return isLocal(request) ? COOKIE : SECURE_COOKIE;
}

/** On this machine there is no https, and nobody to listen on the way. */
function isLocal(request: Request): boolean {
  const url = urlOf(request);
  return url.protocol === "http:" && isLoopback(url.hostname);
}
