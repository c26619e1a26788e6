import { configOf } from "../config/env.ts";
import { logLine } from "../contract/log.ts";
import { LISTENER_AGENT } from "../contract/product.ts";
import type { ProblemCode } from "../contract/problem.ts";
import type { RequestKind } from "../contract/metrics.ts";
import { metrics, secondsSince } from "../metrics/metrics.ts";
import { notesOf } from "./request-notes.ts";

/** Paths of calls that are held open on purpose, without `/v1/`. */
const WAITING = /^\/v1\/(?:code|events|changes)\b|[?&]wait=|^\/mcp/;
/** Refusals of callers without the operator key. The SMTP listener has that key, so it never gets them. */
const OF_STRANGERS: ReadonlySet<ProblemCode> = new Set([
  "unauthorized",
  "insufficient_scope",
  "rate_limited",
]);

/** Counts a request that was answered, and logs it where logs are JSON. */
export function observe(
  request: Request,
  response: Response,
  { requestId, startMs, env }: { requestId: string; startMs: number; env: Env },
): void {
  const { route, refusal, messages } = notesOf(request);
  const seconds = secondsSince(startMs);
  const kind = kindOf(request);
  metrics.count("mailkeep_requests_total", { kind, status: statusClass(response.status) });
  metrics.observe("mailkeep_request_seconds", { kind }, seconds);
  if (refusal !== null && !isListeners(request, refusal)) {
    metrics.count("mailkeep_refusals_total", { door: "http", reason: refusal });
  }
  if (!logsJson(env)) return;
  console.log(
    logLine("info", "request", {
      request_id: requestId,
      method: request.method,
      route,
      status: response.status,
      code: refusal,
      duration_ms: Math.round(seconds * 1_000),
      message_ids: messages,
    }),
  );
}

/** The group of a request by its method and path. The URL is not parsed for it: most requests need no parsed URL. */
function kindOf({ method, url }: Request): RequestKind {
  const path = url.slice(url.indexOf("/", 8));
  if (WAITING.test(path)) return "wait";
  if (!path.startsWith("/v1/")) return "page";
  if (path.startsWith("/v1/inbound")) return "receive";
  return method === "GET" || method === "HEAD" ? "read" : "write";
}

function statusClass(status: number): "2xx" | "3xx" | "4xx" | "5xx" {
  if (status < 300) return "2xx";
  if (status < 400) return "3xx";
  return status < 500 ? "4xx" : "5xx";
}

/** Whether a refused request came from the SMTP listener, which counts refusals itself, by its SMTP reply. */
function isListeners(request: Request, refusal: ProblemCode): boolean {
  return request.headers.get("User-Agent") === LISTENER_AGENT && !OF_STRANGERS.has(refusal);
}

function logsJson(env: Env): boolean {
  try {
    return configOf(env).logFormat === "json";
  } catch {
    // A ConfigError: the answer names the wrong setting.
    return false;
  }
}
