import { fixOf, problemBody, retryAfterSeconds, STATUS, type Problem } from "../contract/problem.ts";
import type { JsonText } from "../mailbox/messages/present.ts";

/** Headers of every response: nothing here is sniffed, cached or kept from other origins, and no cookie is ever involved. */
const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition, Mailkeep-Fix, Mailkeep-Ignored",
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

/** A JSON response. */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  const text = JSON.stringify(value);
  return headers === undefined
    ? jsonResponse(text, status)
    : respond(text, status, { ...JSON_TYPE, ...headers });
}

/** A JSON response from text, or a stream of it, that already is JSON. */
export function jsonResponse<Shape>(text: JsonText<Shape> | BodyInit, status = 200): Response {
  return new Response(text, { status, headers: JSON_HEADERS });
}

/** The response that tells a problem. */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const { code } = problem;
  const seconds = retryAfterSeconds(problem);
  return json(problemBody(problem), STATUS[code], {
    "Mailkeep-Fix": headerText(fixOf(problem)),
    ...(code === "unauthorized" ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(seconds === null ? {} : { "Retry-After": String(seconds) }),
    ...rateLimitHeaders(problem),
    ...headers,
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

/** Says in the answer which parameters and members of its request count for nothing: some of them, where they are many. */
export function tellIgnored(response: Response, ignored: readonly string[]): Response {
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
