import { problemBody, STATUS, type Problem } from "../contract/problem.ts";
import type { JsonText } from "../mailbox/present.ts";

/** Headers of every response: nothing here is sniffed, cached or kept from other origins, and no cookie is ever involved. */
const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition",
} as const;

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" } as const;
/** Those of a JSON answer, made once: a response copies them in half the time that it takes to read an object. */
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
  const { code, retryAfterSeconds } = problem;
  return json(problemBody(problem), STATUS[code], {
    ...(code === "unauthorized" ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    ...rateLimitHeaders(problem),
    ...headers,
  });
}

/** The budget that is spent, in the words of the RateLimit draft. */
function rateLimitHeaders({ budget, retryAfterSeconds }: Problem): Record<string, string> {
  if (budget === undefined) return {};
  const { name, limit, windowSeconds } = budget;
  return {
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${name}";r=0;t=${retryAfterSeconds ?? windowSeconds}`,
  };
}
