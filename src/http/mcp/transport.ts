import {
  createMcpHandler,
  isLegacyRequest,
  legacyStatelessFallback,
  WebStandardStreamableHTTPServerTransport,
  type McpServerFactory,
  type ServerEventBus,
} from "@modelcontextprotocol/server";

/**
 * How often a stream in which nothing happens is written to. On one machine only a write shows that a client closed its
 * connection, so a wait outlives its client by no more than this.
 */
const KEEP_ALIVE_MS = 5_000;

/** How a message is served. */
export interface Serving {
  /** Makes the server that answers this one message. */
  factory: McpServerFactory;
  /** Answers as a stream of events, in which a client hears of progress; else in JSON. */
  streams: boolean;
  /** Where a server that announces changes of its lists publishes them. */
  bus?: ServerEventBus;
}

/**
 * Serves one JSON-RPC message, of revision 2026-07-28 or of 2025, without a session. The body of `request` was read before; its
 * header fields and its signal still count.
 */
export async function serveMessage(request: Request, message: unknown, serving: Serving): Promise<Response> {
  const { factory, streams, bus } = serving;
  if (await isLegacyRequest(request, message)) return serveLegacy(accepting(request), message, serving);
  const responseMode = streams ? "sse" : "auto";
  const { fetch } = createMcpHandler(factory, {
    legacy: "reject",
    responseMode,
    bus,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  return fetch(request, { parsedBody: message });
}

/** A client of 2025. The library would answer each in a stream of events, which costs more than an answer of one message. */
async function serveLegacy(
  request: Request,
  message: unknown,
  { factory, streams }: Serving,
): Promise<Response> {
  if (streams) return legacyStatelessFallback(factory)(request, { parsedBody: message });
  const server = await factory({ era: "legacy", requestInfo: request });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  request.signal.addEventListener("abort", () => void transport.close());
  const response = await transport.handleRequest(request, { parsedBody: message });
  await transport.close();
  return response;
}

const BOTH_TYPES = "application/json, text/event-stream";

/** The request as the library asks for: it refuses clients that do not name both media types in `Accept`. */
function accepting(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("Accept", BOTH_TYPES);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** Whether a client can read a stream of events. */
export function readsStreams(request: Request): boolean {
  return request.headers.get("Accept")?.includes("text/event-stream") ?? false;
}
