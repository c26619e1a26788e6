import { problemBody, STATUS, type Problem } from "../contract/problem.ts";
import type { Allowance } from "../directory/client-budget.ts";
import type { JsonText } from "../mailbox/present.ts";

/** Headers of every response: nothing here is sniffed, cached or kept from other origins, and no cookie is ever involved. */
const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Content-Disposition",
} as const;

const JSON_TYPE = "application/json; charset=utf-8";

/** A response with `body` and the headers of every response. */
export function respond(
  body: BodyInit | null,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, { status, headers: { ...ALWAYS, ...headers } });
}

/** A JSON response. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return respond(JSON.stringify(value), status, { "Content-Type": JSON_TYPE, ...headers });
}

/** A JSON response from text that already is JSON. */
export function jsonResponse<Shape>(text: JsonText<Shape>, status = 200): Response {
  return respond(text, status, { "Content-Type": JSON_TYPE });
}

/** The response that tells a problem. */
export function problemResponse(problem: Problem, headers: Record<string, string> = {}): Response {
  const { code, retryAfterSeconds } = problem;
  return json(problemBody(problem), STATUS[code], {
    ...(code === "unauthorized" ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    ...headers,
  });
}

/** 429, with the budget in the words of the RateLimit draft. */
export function overBudget(name: string, allowance: Allowance, windowSeconds: number): Response {
  const { limit, remaining, resetSeconds } = allowance;
  const problem: Problem = {
    code: "rate_limited",
    error: `Too many requests: ${name} is limited to ${limit} in ${windowSeconds} seconds`,
    retryAfterSeconds: resetSeconds,
  };
  return problemResponse(problem, {
    "RateLimit-Policy": `"${name}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  });
}
