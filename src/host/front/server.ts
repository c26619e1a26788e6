import type http from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopback, NetworkCounts } from "../../lib/client-network.ts";
import { Connections } from "./connections.ts";

/** An address and a port (0: any free one), or the file descriptor of a socket that another program opened. */
export type Place = { host: string; port: number } | { fd: number };

/** Open connections: each may hold a header of 64 KiB, and an event stream keeps its connection open. */
export const MAX_CONNECTIONS = 4_096;
/**
 * Connections of one IPv4 address or /64 of IPv6, of one /56 and of one /48, so that no client can use up all. Clients on this
 * machine have no limit.
 */
const MAX_CONNECTIONS_PER_NETWORK = [1_024, 1_536, 2_048] as const;
/** The longest request line with its header fields. The hand-over of a message names up to 100 recipients in its query. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A header that comes byte by byte is cut off after this time. */
const HEADERS_TIMEOUT_MS = 20_000;
/** An upload may take 55 minutes. */
const REQUEST_TIMEOUT_MS = 60 * 60_000;
/** A connection without a byte in either direction. Calls wait for 55 s at most, and streams say something every 25 s. */
const SILENCE_TIMEOUT_MS = 5 * 60_000;
/** A connection between two requests. */
const KEEP_ALIVE_MS = 65_000;
/** How often Node checks the time limits of headers and requests. */
const CHECK_INTERVAL_MS = 2_000;
/** How often idle connections are closed while the server drains. */
const IDLE_CHECK_MS = 50;

/** The limits of every HTTP server here. */
export const LIMITS: http.ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
  insecureHTTPParser: false,
};

/** Limits that Node takes as members of a server. */
export function limit<Server extends http.Server>(server: Server): Server {
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = SILENCE_TIMEOUT_MS;
  // Node would silently drop header fields beyond its limit of their number. Their total size is limited instead.
  server.maxHeadersCount = 0;
  return server;
}

/** Counts the connections of each client and refuses those beyond the limit. */
export function perClientLimit(): (
  socket: { once(event: "close", gone: () => void): unknown },
  client: string,
) => boolean {
  const counts = new NetworkCounts(...MAX_CONNECTIONS_PER_NETWORK);
  return (socket, address) => {
    if (isLoopback(address) || address === "::1") return true;
    if (!counts.add(address)) return false;
    socket.once("close", () => counts.remove(address));
    return true;
  };
}

/** A server that listens. */
export interface Listening {
  /** 0 for a socket that has none. */
  port: number;
  /**
   * Accepts no more connections, closes those without a request under way, and resolves when the others have their answers: at
   * the latest after `graceMs`, when it closes them.
   */
  drain(graceMs: number): Promise<void>;
}

/** Listens. Rejects with the error of `listen`. Comes after everything that changes how the server accepts connections. */
export function listenOn(server: http.Server, where: Place): Promise<Listening> {
  const connections = new Connections(server);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.off("error", reject);
      // For example too many open files. The next connection may succeed.
      server.on("error", () => {});
      const address = server.address();
      resolve({
        port: isTcp(address) ? address.port : 0,
        drain: (graceMs) => drained(server, connections, graceMs),
      });
    });
  });
}

function isTcp(address: AddressInfo | string | null): address is AddressInfo {
  return address !== null && typeof address === "object";
}

function drained(server: http.Server, connections: Connections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      clearInterval(idle);
      resolve();
    };
    const timer = setTimeout(() => {
      connections.closeAll();
      end();
    }, graceMs);
    // A connection whose request is answered from now on is closed here.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.close(end);
    connections.closeUnused();
  });
}
