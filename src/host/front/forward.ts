import http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { problemBody, STATUS, type Problem } from "../../contract/problem.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import { bodyOf, isUnknownCoding, targetOf } from "./target.ts";

/** The runtime behind the front. */
export interface Upstream {
  /** Its port on 127.0.0.1, which takes absolute targets. */
  port: number;
  /** Proves to the worker that a request comes from the front. */
  secret: string;
  agent: http.Agent;
  /** Resolves to true when the runtime has its port; to false if it takes too long, and clients then get 503. */
  isRunning: () => Promise<boolean>;
}

/** A request that the front passes on. */
export interface Passage {
  request: IncomingMessage;
  response: ServerResponse;
  /** Null: the client is a trusted proxy, which names its own client in a header. */
  client: string | null;
  isHttps: boolean;
}

/** workerd closes a connection that was idle for 5 s, so we close it earlier. */
const IDLE_SOCKET_MS = 4_000;
/** Requests that may be sent again when the connection that carried them turns out to be closed (RFC 9110 §9.2.2). */
const REPEATABLE: readonly (string | undefined)[] = ["GET", "HEAD", "OPTIONS"];
/** The runtime reads up to so much of a body that it refuses, so that the client gets its answer. */
const MAX_DRAINED_BYTES = 64 * 1024;
/** How long the runtime may take to answer a request whose body is withheld. */
const WITHHELD_TIMEOUT_MS = 5_000;
/** How much more of a body is read, and for how long, after its request was answered, so that the client gets the answer. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const MAX_UNREAD_MS = 2_000;

const UNAVAILABLE: Problem = {
  code: "unavailable",
  error: "The server is starting again",
  retryAfterSeconds: 1,
};
const BAD_HOST: Problem = {
  code: "invalid",
  error: "Host must be a host name or an IP address, with a port or none",
};
const BAD_CODING: Problem = { code: "invalid", error: "Transfer-Encoding must be chunked" };

/** Connections to the runtime, with a limit on their number. */
export function upstreamAgent(maxSockets: number): http.Agent {
  return new http.Agent({ keepAlive: true, maxSockets, maxFreeSockets: 256, timeout: IDLE_SOCKET_MS });
}

/** Passes a request to the runtime and its answer back, both as they come. Never rejects; the log is the runtime's. */
export async function forward(passage: Passage, upstream: Upstream): Promise<void> {
  const { request, response } = passage;
  if (isUnknownCoding(request)) return refuse(response, BAD_CODING);
  const target = targetOf(request);
  if (target === null) return refuse(response, BAD_HOST);
  if (!(await upstream.isRunning())) {
    refuse(response, UNAVAILABLE);
    return discardRest(request, response);
  }
  // The client hung up while it waited.
  if (response.destroyed) return;
  const body = bodyOf(request);
  const { agent, port, secret } = upstream;
  const options: http.RequestOptions = {
    agent,
    host: "127.0.0.1",
    port,
    method: request.method,
    path: `${passage.isHttps ? "https" : "http"}://${target.host}${target.path}`,
    headers: requestHeaders(request.rawHeaders, { host: target.host, client: passage.client, secret, body }),
  };
  if (body === null || body === 0) return send(passage, options, "none");
  const isSmall = body !== "unknown" && body <= MAX_DRAINED_BYTES;
  // A large body gets a new connection. The runtime may just be closing a reused one; on a new one, a failure has another reason.
  send(passage, isSmall ? options : { ...options, agent: false }, isSmall ? "small" : "large");
}

/** How the body of a request is sent. `withheld`: its length is announced, but the body is not sent. */
type Body = "none" | "small" | "large" | "withheld";

function send(passage: Passage, options: http.RequestOptions, body: Body): void {
  const { request, response } = passage;
  const sent = http.request(options);
  let isAnswered = false;
  const hangUp = (): void => {
    // The connection of a complete exchange may carry another one.
    if (isAnswered && sent.writableFinished) return;
    // The runtime keeps answering on a connection that is only closed.
    sent.socket?.resetAndDestroy();
    sent.destroy();
  };
  response.once("close", hangUp);
  const timer = body === "withheld" ? setTimeout(hangUp, WITHHELD_TIMEOUT_MS) : undefined;
  sent.once("response", (answer) => {
    clearTimeout(timer);
    answer.once("end", () => (isAnswered = true));
    pass(answer, passage);
  });
  sent.once("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    response.off("close", hangUp);
    request.unpipe(sent);
    // The connection of a partial answer is closed, so that the client sees that the answer is incomplete.
    if (response.headersSent || response.destroyed) return void response.destroy();
    const again = repeatOf(passage, body, { isReused: sent.reusedSocket, code: error.code });
    if (again !== null) return send(passage, options, again);
    refuse(response, UNAVAILABLE);
    discardRest(request, response);
  });
  if (body === "none") sent.end();
  else if (body === "withheld") sent.flushHeaders();
  else request.pipe(sent);
}

/**
 * How a request whose connection was cut is sent once more; null: it is not.
 *
 * The runtime may close an idle connection at the moment that it is used again. It also cuts the connection when it refuses a
 * body, and then its answer is lost. Asked again without the body, it gives the same answer, and cannot execute the request.
 */
function repeatOf(
  { request }: Passage,
  body: Body,
  { isReused, code }: { isReused: boolean; code: string | undefined },
): Body | null {
  if (code !== "ECONNRESET" && code !== "EPIPE") return null;
  if (body === "large") return "withheld";
  return body === "none" && isReused && REPEATABLE.includes(request.method) ? "none" : null;
}

function pass(answer: IncomingMessage, { request, response }: Passage): void {
  if (response.destroyed) return void answer.destroy();
  const headers = responseHeaders(answer.rawHeaders);
  response.writeHead(answer.statusCode ?? STATUS.internal, answer.statusMessage, headers);
  // The header of an event stream is sent before its first event.
  if (answer.headers["content-length"] === undefined) response.flushHeaders();
  answer.once("error", () => response.destroy());
  answer.once("end", () => discardRest(request, response));
  answer.pipe(response);
}

/** Reads and drops the rest of a body for a while. If the connection were closed at once, the client would lose the answer. */
function discardRest(request: IncomingMessage, response: ServerResponse): void {
  if (request.readableEnded || request.complete) return;
  let left = MAX_UNREAD_BYTES;
  const cut = (): void => void request.destroy();
  const timer = setTimeout(cut, MAX_UNREAD_MS);
  request.unpipe();
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  request.resume();
  request.once("end", () => clearTimeout(timer));
  response.once("close", () => clearTimeout(timer));
}

/** Answers a request itself, because the runtime cannot. */
export function refuse(response: ServerResponse, problem: Problem): void {
  const body = Buffer.from(JSON.stringify(problemBody(problem)));
  response.statusCode = STATUS[problem.code];
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", body.length);
  if (problem.retryAfterSeconds !== undefined) response.setHeader("Retry-After", problem.retryAfterSeconds);
  response.end(body);
}
