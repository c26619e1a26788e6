import http from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { notFound, type Problem } from "../../contract/problem.ts";
import { acceptThrough } from "./accept.ts";
import { challengeToken, readChallenge } from "./challenge.ts";
import { refuse } from "./forward.ts";
import type { Networks } from "./networks.ts";
import { limit, LIMITS, listenOn, perClientLimit, type Place } from "./server.ts";
import { targetOf } from "./target.ts";

/** A listener for plain http that redirects to https. */
export interface Redirect {
  port: number;
  close(): Promise<void>;
}

export interface RedirectOptions {
  listen: Place;
  /** The port of HTTPS; null: there is none yet. */
  httpsPort: number | null;
  /** The folder below which an ACME client puts the files of challenges; null: none does. */
  webroot: string | null;
  /** The networks whose connections begin with a header of the PROXY protocol; null: none do. */
  proxies: Networks | null;
  /** Gets one line for each connection whose PROXY header is refused. */
  log: (line: string) => void;
}

const HTTPS_PORT = 443;
const HTTPS_REQUIRED: Problem = {
  code: "https_required",
  error: "HTTPS is required: what this request holds has crossed the network unencrypted",
  fix: "Call the same address with https; replace a key that was sent.",
};
const NO_HTTPS: Problem = {
  code: "misconfigured",
  error: "This server has no certificate for HTTPS yet",
  fix: "The operator sets TLS_CERT and TLS_KEY, and restarts the server.",
};

/** Answers plain http with a redirect to https on the same host, and with challenges of ACME. Rejects with the error of `listen`. */
export async function startRedirect(options: RedirectOptions): Promise<Redirect> {
  const { listen, proxies, log } = options;
  const server = limit(
    http.createServer(LIMITS, (request, response) => void answer(request, response, options)),
  );
  acceptThrough(server, { proxies, log, admit: perClientLimit() });
  const listening = await listenOn(server, listen);
  return { port: listening.port, close: () => listening.drain(0) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { httpsPort, webroot }: RedirectOptions,
): Promise<void> {
  const target = targetOf(request);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const token = target === null || webroot === null || !isRead ? null : challengeToken(target.path);
  if (token !== null) return sendChallenge(response, await readChallenge(webroot ?? "", token));
  // After a redirect, the client would not notice that it sent the key in clear.
  if (target === null || !isRead || request.headers.authorization !== undefined) {
    response.shouldKeepAlive = false;
    return refuse(response, HTTPS_REQUIRED);
  }
  if (httpsPort === null) return refuse(response, NO_HTTPS);
  const name = target.host.replace(/:\d+$/, "");
  const port = httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`;
  response.writeHead(308, { Location: `https://${name}${port}${target.path}`, "Content-Length": 0 });
  response.end();
}

function sendChallenge(response: ServerResponse, bytes: Buffer | null): void {
  if (bytes === null) return refuse(response, notFound("Page"));
  response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": bytes.length });
  response.end(bytes);
}
