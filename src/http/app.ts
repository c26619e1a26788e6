import { HonoBase } from "hono/hono-base";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { ANY_ORIGIN } from "../contract/any-origin.ts";
import { BATCH_PATH } from "../contract/hand-over.ts";
import { NO_ENDPOINT, notFound, type Problem } from "../contract/problem.ts";
import type { Target } from "../contract/route.ts";
import { routes } from "../contract/routes.ts";
import { configOf } from "../config/env.ts";
import { isDraining } from "../lib/draining.ts";
import { uuidV7 } from "../lib/ids.ts";
import { json, problemResponse, respond } from "./answers.ts";
import { takeBatch } from "./batch.ts";
import { siteOf, urlOf } from "./request-url.ts";
import { dispatch, originOf, refuse, type AppContext } from "./dispatch.ts";
import { faultOf } from "./faults.ts";
import { endpoints } from "./handlers.ts";
import { MCP_HEADERS, MCP_PATH, METADATA_PATH, serveMcp, serveMetadata } from "./mcp/endpoint.ts";
import { MTA_STS_PATH } from "../mail/mta-sts.ts";
import { serveMtaSts } from "./mta-sts.ts";
import { observe } from "./observe.ts";
import { loadTables } from "../service/load-tables.ts";
import { readAsset } from "../service/static-asset.ts";
import { flush, flushSoon } from "../metrics/flush.ts";
import { notesOf } from "./request-notes.ts";
import { isProbe, livez, PROBE_PATHS, readyz } from "./probes.ts";
import { isOpenedByPerson, notFoundPage } from "../pages/not-found.tsx";
import { operatorConsole } from "../pages/operator/console.ts";
import { pages } from "../pages/pages.ts";
import { staticResponse } from "../pages/static-files.ts";
import { withoutTrailingSlash } from "../pages/trailing-slash.ts";
import { showSession, signIn, signOut } from "./routes/operator-session.ts";
import { PRODUCT, VERSION } from "../contract/product.ts";

const METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const ALLOWED_HEADERS = "Content-Type, Authorization, Idempotency-Key, Last-Event-ID";
/** A client may remember a preflight for a day. */
const PREFLIGHT_SECONDS = 86_400;

// Named, so that a route that it cannot hold fails the tests. `Hono` would fall back to a tree router, which makes dozens of
// objects for each request.
const app = new HonoBase<{ Bindings: Env }>({ router: new RegExpRouter() });

for (const endpoint of endpoints) {
  app.on(endpoint.spec.method, endpoint.spec.path, (c) => dispatch(c, endpoint));
}

app.get("/health", (c) => {
  configOf(c.env);
  return json({ status: "ok", worker: PRODUCT, version: VERSION });
});
app.get("/livez", livez);
app.get("/readyz", (c) => readyz(c.env));
app.get("/openapi.json", async (c) => {
  const origin = JSON.stringify(originOf(c, configOf(c.env))).slice(1, -1);
  const document = await (await readAsset(c.env.ASSETS, "openapi.json")).text();
  return json(document.replaceAll(ANY_ORIGIN, () => origin));
});
for (const [path, page] of Object.entries(pages)) {
  app.get(path, page);
  app.get(`${path}/`, (c) => withoutTrailingSlash(c.req.raw) ?? c.notFound());
}
app.post(MCP_PATH, serveMcp);
app.post(BATCH_PATH, takeBatch);
app.get(METADATA_PATH, serveMetadata);
app.get(MTA_STS_PATH, serveMtaSts);
app.get("/operator/session", showSession).post(signIn).delete(signOut);
// With a router of its own: names and parameters share places in its paths.
app.all("/operator/*", (c) => operatorConsole.fetch(c.req.raw, c.env, c.executionCtx));
app.get("/assets/:name", async (c) => (await staticResponse(c.req.raw, c.env.ASSETS)) ?? c.notFound());

app.notFound((c) => {
  const path = urlOf(c.req.raw).pathname;
  const served = methodsOf(path);
  if (served.length > 0) return methodNotAllowed(c, path, served);
  if (path.startsWith("/v1/")) return refuse(c, NO_ENDPOINT);
  return path !== "/v1" && isOpenedByPerson(c) ? notFoundPage() : problemResponse(notFound("Page"));
});

function methodNotAllowed(c: AppContext, path: string, served: Served[]): Response | Promise<Response> {
  const allow = served.map(({ method }) => method).join(", ");
  const error = `Method not allowed; ${path} takes ${allow}`;
  const isPublic = !path.startsWith("/v1/") || served.some(({ target }) => target === "public");
  const fix = `Call ${served.map(({ method }) => method).join(" or ")} ${path}.`;
  const problem: Problem = { code: "method_not_allowed", error, headers: { Allow: allow }, fix };
  return isPublic ? problemResponse(problem) : refuse(c, problem);
}

/** Paths outside the table. None needs a credential. */
const PAGES: readonly string[] = [
  "/health",
  ...PROBE_PATHS,
  "/openapi.json",
  METADATA_PATH,
  MTA_STS_PATH,
  ...Object.keys(pages),
];

type Served = { method: string; target: Target };

/** The routes of a path, whatever their method. */
function methodsOf(path: string): Served[] {
  if (PAGES.includes(path)) return [{ method: "GET", target: "public" }];
  if (path === MCP_PATH) return [{ method: "POST", target: "public" }];
  const segments = path.split("/");
  return Object.values(routes).filter((spec) => {
    const wanted = spec.path.split("/");
    return (
      wanted.length === segments.length &&
      wanted.every((part, index) =>
        part.startsWith(":") ? segments[index] !== "" : part === segments[index],
      )
    );
  });
}

// Rethrown to `serveSafely`, which knows the request's id.
app.onError((error) => {
  throw error;
});

/** Serves a request: https first, then the table. Every response has a request id. */
export async function serveHttp(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const startMs = performance.now();
  const requestId = uuidV7(Date.now());
  const response = await serveSafely(request, env, ctx, requestId);
  response.headers.set("X-Request-Id", requestId);
  observe(request, response, { requestId, startMs, env });
  // Work after the answer does not outlive the end of the server.
  if (isDraining()) await flush(env);
  else flushSoon(env, (work) => ctx.waitUntil(work));
  return response;
}

async function serveSafely(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  requestId: string,
): Promise<Response> {
  try {
    const { isHttps, isLoopback } = siteOf(request);
    if (!isHttps && !isLoopback && !isProbe(request) && !configOf(env).allowHttp) {
      return refuseEarly(request, {
        code: "https_required",
        error: "HTTPS is required; behind a TLS proxy, set ALLOW_HTTP=true",
      });
    }
    if (request.method === "OPTIONS") return preflight(urlOf(request).pathname);
    if (!isProbe(request)) await loadTables(env);
    return await app.fetch(request, env, ctx);
  } catch (error) {
    return refuseEarly(request, faultOf(error, requestId));
  }
}

/** The response of a refusal outside of the route table. */
function refuseEarly(request: Request, problem: Problem): Response {
  notesOf(request).refusal = problem.code;
  return problemResponse(problem);
}

function preflight(path: string): Response {
  return respond(null, 204, {
    "Access-Control-Allow-Methods": METHODS,
    "Access-Control-Allow-Headers":
      path === MCP_PATH ? `${ALLOWED_HEADERS}, ${MCP_HEADERS}` : ALLOWED_HEADERS,
    "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
  });
}
