import http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Problem } from "../../contract/problem.ts";
import { refuse } from "./forward.ts";
import { limit, LIMITS, listenOn, type Place } from "./server.ts";
import { targetOf } from "./target.ts";

/** A listener for plain http that redirects to https. */
export interface Redirect {
  port: number;
  close(): Promise<void>;
}

const HTTPS_PORT = 443;
const HTTPS_REQUIRED: Problem = {
  code: "https_required",
  error: "HTTPS is required: what this request holds has crossed the network unencrypted",
  fix: "Call the same address with https; replace a key that was sent.",
};

/** Answers plain http with a redirect to `httpsPort` of the same host. Rejects with the error of `listen`. */
export async function startRedirect(listen: Place, httpsPort: number): Promise<Redirect> {
  const server = limit(
    http.createServer(LIMITS, (request, response) => answer(request, response, httpsPort)),
  );
  const listening = await listenOn(server, listen);
  return { port: listening.port, close: () => listening.drain(0) };
}

function answer(request: IncomingMessage, response: ServerResponse, httpsPort: number): void {
  const target = targetOf(request);
  const isRead = request.method === "GET" || request.method === "HEAD";
  // After a redirect, the client would not notice that it sent the key in clear.
  if (target === null || !isRead || request.headers.authorization !== undefined) {
    response.shouldKeepAlive = false;
    return refuse(response, HTTPS_REQUIRED);
  }
  const name = target.host.replace(/:\d+$/, "");
  const port = httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`;
  response.writeHead(308, { Location: `https://${name}${port}${target.path}`, "Content-Length": 0 });
  response.end();
}
