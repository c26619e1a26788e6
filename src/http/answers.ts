import { fixOf, problemBody, retryAfterSeconds, STATUS, type Problem } from "../contract/problem.ts";
import type { JsonText } from "../mailbox/messages/present.ts";

/**
 * Headers of every response: nothing here is sniffed or cached, every origin may read it, and the API uses no cookie.
 * Not `hono/secure-headers`: it sets a dozen fields anew on each response, most of which mean something to pages alone, whose
 * policies are stricter (pages/policy.ts).
 */
const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition, Mailkeep-Fix, Mailkeep-Ignored, Mailkeep-Resume",
} as const;

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" } as const;
/** The headers of a JSON response, made once: copying them takes half the time of reading an object. */
const JSON_HEADERS = new Headers({ ...ALWAYS, ...JSON_TYPE });

/** A response with `body` and the headers of every response. */
export function respond(
  body: BodyInit | null,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { status, headers: { ...ALWAYS, ...headers } });
}

/** The text of JSON as a stream. */
export type JsonStream<Shape> = ReadableStream<Uint8Array> & { readonly shape?: Shape };

/** JSON: a value, its text, or a stream of its text. */
export type Json<Shape> = Shape | JsonText<Shape> | JsonStream<Shape>;

/** A JSON answer with another status than the route's lowest, or with header fields of its own. */
export class Reply<Status extends number = number, Shape = unknown> {
  readonly status: Status;
  readonly value: Json<Shape>;
  readonly headers: Record<string, string> | undefined;

  constructor(status: Status, value: Json<Shape>, headers?: Record<string, string>) {
    this.status = status;
    this.value = value;
    this.headers = headers;
  }
}

/** An answer in bytes, or in none. */
export class Bytes<Status extends number = number> {
  readonly status: Status;
  readonly body: BodyInit | null;
  readonly headers: Record<string, string>;

  constructor(status: Status, body: BodyInit | null, headers: Record<string, string>) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The response of an answer; `status` is that of a bare JSON value. */
export function responseOf(answer: unknown, status: number): Response {
  if (answer instanceof Reply) return json(answer.value, answer.status, answer.headers);
  if (answer instanceof Bytes) return respond(answer.body, answer.status, answer.headers);
  return json(answer, status);
}

/**
 * The response, or 304 without a body if the client has it already: its `If-None-Match` names the response's ETag, compared
 * weakly (RFC 9110 §13.1.2).
 */
export function unlessKnown(request: Request, response: Response): Response {
  const known = request.headers.get("If-None-Match");
  const tag = known === null ? null : response.headers.get("ETag");
  if (known === null || tag === null || response.status !== 200) return response;
  const plain = (one: string): string => one.trim().replace(/^W\//, "");
  if (known.trim() !== "*" && !known.split(",").map(plain).includes(plain(tag))) return response;
  const headers = new Headers(response.headers);
  headers.delete("Content-Type");
  return new Response(null, { status: 304, headers });
}

/** A JSON response. Strings and streams hold JSON text and are sent as they are. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  const body = typeof value === "string" || value instanceof ReadableStream ? value : JSON.stringify(value);
  return headers === undefined
    ? new Response(body, { status, headers: JSON_HEADERS })
    : respond(body, status, { ...JSON_TYPE, ...headers });
}

/** The response of a refusal. */
export function problemResponse(problem: Problem): Response {
  const { code } = problem;
  const seconds = retryAfterSeconds(problem);
  return json(problemBody(problem), STATUS[code], {
    "Mailkeep-Fix": headerText(fixOf(problem)),
    ...(code === "unauthorized" ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(seconds === null ? {} : { "Retry-After": String(seconds) }),
    ...rateLimitHeaders(problem),
    ...problem.headers,
  });
}

/** A header field holds visible ASCII and spaces (RFC 9110 §5.5), and proxies refuse long ones. */
const MAX_HEADER_CHARS = 500;

function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, MAX_HEADER_CHARS);
}

/** The most names in `Mailkeep-Ignored`, and characters of each. */
const MAX_IGNORED = 10;
const MAX_IGNORED_CHARS = 40;

/** Names in the response the parameters and members of its request that were ignored: the first ten, where there are more. */
export function withIgnored(response: Response, ignored: readonly string[]): Response {
  if (ignored.length > 0) response.headers.set("Mailkeep-Ignored", ignoredText(ignored));
  return response;
}

/** The names of ignored parameters as a header field can hold them. */
export function ignoredText(ignored: readonly string[]): string {
  const names = ignored
    .slice(0, MAX_IGNORED)
    .map((name) => name.slice(0, MAX_IGNORED_CHARS).replaceAll(/[^\w.[\]-]/g, "?") || "?");
  return [...names, ...(ignored.length > MAX_IGNORED ? ["..."] : [])].join(", ");
}

/** The header fields of a spent budget (IETF draft RateLimit header fields). */
function rateLimitHeaders({ budget, retryAfterSeconds }: Problem): Record<string, string> {
  if (budget === undefined) return {};
  const { name, limit, windowSeconds } = budget;
  return {
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${name}";r=0;t=${retryAfterSeconds ?? windowSeconds}`,
  };
}
