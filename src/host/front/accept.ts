import type { Server, Socket } from "node:net";
import { ClientAddresses, peerAddress } from "./client-addresses.ts";
import type { Networks } from "./networks.ts";
import { readProxyHeader } from "./proxy-header.ts";

/** How long a header of the PROXY protocol may take. It comes with the first packet of its connection. */
export const HEADER_TIMEOUT_MS = 5_000;

/** How connections are accepted. */
export interface Acceptance {
  /** The networks whose connections begin with a header of the PROXY protocol; null: none do. */
  proxies: Networks | null;
  /** Whether a connection of this client is allowed; undefined: every connection is. */
  admit?: (socket: Socket, client: string) => boolean;
  log: (line: string) => void;
  /** How long a header may take; undefined: {@link HEADER_TIMEOUT_MS}. */
  headerTimeoutMs?: number;
}

/**
 * Intercepts the new connections of a server. A connection from one of the `proxies` must begin with a header of the PROXY
 * protocol, which is removed. A client that `admit` refuses is disconnected. Other connections are passed to the listeners
 * that the server has now, or to `next`. Returns the addresses of the clients.
 */
export function acceptThrough(
  server: Server,
  options: Acceptance,
  next?: (socket: Socket, client: string) => void,
): ClientAddresses {
  const addresses = new ClientAddresses();
  const listeners = server.listeners("connection");
  const goOn = (socket: Socket): void => {
    const client = addresses.of(socket);
    // The client has disconnected already.
    if (client === "") return void socket.destroy();
    if (options.admit?.(socket, client) === false) return void socket.destroy();
    if (next) return next(socket, client);
    for (const listener of listeners) listener.call(server, socket);
  };
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const peer = peerAddress(socket);
    if (options.proxies === null || peer === "" || !options.proxies.has(peer)) return goOn(socket);
    takeHeader(socket, options, (address) => {
      if (address !== null) addresses.note(socket, address);
      goOn(socket);
    });
  });
  return addresses;
}

/** Reads the header from a connection, and closes a connection without a valid header in time. */
function takeHeader(
  socket: Socket,
  { log, headerTimeoutMs }: Acceptance,
  taken: (address: string | null) => void,
): void {
  const peer = peerAddress(socket);
  let bytes = Buffer.alloc(0);
  const timer = setTimeout(() => refuse("did not come in time"), headerTimeoutMs ?? HEADER_TIMEOUT_MS);
  const ignore = (): void => {};
  const stop = (): void => {
    clearTimeout(timer);
    socket.off("readable", read).off("end", ended).off("close", stop);
  };
  const refuse = (reason: string): void => {
    stop();
    log(`PROXY protocol: the header of a connection from ${peer} ${reason}`);
    socket.destroy();
  };
  const ended = (): void => refuse("is incomplete");
  const read = (): void => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    bytes = Buffer.concat([bytes, chunk]);
    const header = readProxyHeader(bytes);
    if (header.kind === "incomplete") return;
    if (header.kind === "wrong") return refuse(header.reason);
    stop();
    socket.off("error", ignore);
    if (bytes.length > header.bytes) socket.unshift(bytes.subarray(header.bytes));
    taken(header.client?.address ?? null);
  };
  socket.on("error", ignore).on("close", stop).on("end", ended).on("readable", read);
}
