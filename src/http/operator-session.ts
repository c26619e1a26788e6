import { parse, serialize } from "hono/utils/cookie";
import { shardName } from "../contract/directory.ts";
import { configOf, type Config } from "../config/env.ts";
import { digestsEqual, hmacHex, randomHex } from "../lib/hash.ts";
import { consolePathOf } from "./console-path.ts";
import { siteOf, urlOf } from "./request-url.ts";

/**
 * The operator's session in a browser. Only pages use it: the API ignores cookies. The cookie holds the session's id and end,
 * signed with a key derived from the deployment's secrets, so that a running session needs no storage; only sessions that
 * were signed out are stored. A new AUTH_TOKEN or KEY_SECRET ends all sessions.
 *
 * A browser sends a cookie to every port of a host (RFC 6265 §8.5), so another server on the same machine gets it too. The
 * cookie therefore counts only together with the session's page token, which no browser sends by itself: it is in the path of
 * the console's pages, and our scripts send it in a header.
 */
export interface OperatorSession {
  id: string;
  /** ms since 1970. */
  expiresAt: number;
}

/** A working day; a browser left open overnight is signed out by morning. */
const LIFETIME_MS = 12 * 3_600_000;
/** 128 bits. */
const ID_BYTES = 16;
const NAME = "mailkeep_operator";
const COOKIE = /^([0-9a-f]{32})\.(\d{1,15})\.([0-9a-f]{64})$/;
const TOKEN_HEADER = "Mailkeep-Session";

/** A new session, as its browser gets it. */
export interface BegunSession {
  session: OperatorSession;
  /** The `Set-Cookie` to answer with. */
  cookie: string;
  pageToken: string;
}

/** Begins a session for a browser that sent the operator's key. Throws if the deployment has no operator. */
export function beginSession(request: Request, config: Config): BegunSession {
  const session = { id: randomHex(ID_BYTES), expiresAt: Date.now() + LIFETIME_MS };
  const signature = sign(config, "session", session);
  if (signature === null) throw new Error("There is no operator");
  const value = `${session.id}.${session.expiresAt}.${signature}`;
  return {
    session,
    cookie: cookie(request, config, value, LIFETIME_MS),
    pageToken: pageToken(session, config),
  };
}

/**
 * The session of a request. Null without a cookie, for a cookie without its session's page token, and for a session that has
 * ended, is forged or belongs to another deployment.
 */
export async function readSession(request: Request, env: Env): Promise<OperatorSession | null> {
  const config = configOf(env);
  const session = signedSession(request, config);
  if (session === null || Date.now() >= session.expiresAt) return null;
  const shown = request.headers.get(TOKEN_HEADER) ?? consolePathOf(urlOf(request).pathname).token;
  if (!isToken("page", shown, session, config)) return null;
  return (await endedSessions(env).hasEnded(session.id)) ? null : session;
}

/** Ends the session of a request, if it has one. Returns the `Set-Cookie` that removes the cookie from the browser. */
export async function endSession(request: Request, env: Env): Promise<string> {
  const session = await readSession(request, env);
  if (session !== null) await endedSessions(env).endSession(session.id, session.expiresAt);
  return cookie(request, configOf(env), "", 0);
}

/** The token in the path of every page of a session: the cookie is worth nothing without it. */
export function pageToken(session: OperatorSession, config: Config): string {
  return sign(config, "page", session) ?? "";
}

/** The hidden token of every form of a session. No other origin can read it, so none can forge a form. */
export function formToken(session: OperatorSession, config: Config): string {
  return sign(config, "form", session) ?? "";
}

/** Whether a form carries the token of its session. */
export function isFormToken(text: string | null, session: OperatorSession, config: Config): boolean {
  return isToken("form", text, session, config);
}

function isToken(
  use: "page" | "form",
  text: string | null,
  session: OperatorSession,
  config: Config,
): boolean {
  const expected = sign(config, use, session);
  return text !== null && expected !== null && digestsEqual(text, expected);
}

function signedSession(request: Request, config: Config): OperatorSession | null {
  const name = cookieName(request, config);
  const value = parse(request.headers.get("Cookie") ?? "", name)[name] ?? "";
  const [, id, expiry, signature] = COOKIE.exec(value) ?? [];
  if (id === undefined || expiry === undefined || signature === undefined) return null;
  const session = { id, expiresAt: Number(expiry) };
  const expected = sign(config, "session", session);
  return expected !== null && digestsEqual(signature, expected) ? session : null;
}

/** Null where the deployment has no operator. */
function sign(
  config: Config,
  use: "session" | "page" | "form",
  { id, expiresAt }: OperatorSession,
): string | null {
  const { operatorDigest, keySecret } = config;
  if (operatorDigest === null) return null;
  const key = hmacHex(keySecret ?? operatorDigest, `operator ${use}\n${operatorDigest}`);
  return hmacHex(key, `${id}.${expiresAt}`);
}

function cookie(request: Request, config: Config, value: string, lifetimeMs: number): string {
  return serialize(cookieName(request, config), value, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: isSecure(request, config),
    maxAge: lifetimeMs / 1_000,
  });
}

/** With the prefix, no other host of the domain and no page over plain http can set the cookie (RFC 6265bis §4.1.3.2). */
function cookieName(request: Request, config: Config): string {
  return isSecure(request, config) ? `__Host-${NAME}` : NAME;
}

/** Only over plain http on this machine may a browser refuse a Secure cookie. */
function isSecure(request: Request, config: Config): boolean {
  const { isHttps, isLoopback } = siteOf(request);
  return isHttps || !isLoopback || config.publicUrl?.startsWith("https:") === true;
}

function endedSessions(env: Env) {
  return env.DIRECTORY.getByName(shardName(0));
}
