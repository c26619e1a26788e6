import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of the Fetch API on a free port of this machine. */
export interface FetchServer {
  url: string;
  close(): Promise<void>;
}

/** Serves requests with `answer`, as a Worker would. */
export function serveFetch(answer: (request: Request) => Promise<Response>): Promise<FetchServer> {
  return serve((incoming, outgoing) => void respond(incoming, outgoing, answer));
}

/** Passes requests on to `target` with a key, for clients that can send none. All header fields stay, `Host` too. */
export function serveWithKey(target: string, key: string): Promise<FetchServer> {
  const { hostname, port } = new URL(target);
  return serve((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const sent = { ...headers, authorization: `Bearer ${key}` };
    const passed = http.request({ hostname, port, method, path, headers: sent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
}

async function serve(listener: http.RequestListener): Promise<FetchServer> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "GET", url = "/", headers } = incoming;
  const sent = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: sent,
    body,
    signal: gone.signal,
  });
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) {
    if (gone.signal.aborted) break;
    outgoing.write(chunk);
  }
  outgoing.end();
}
