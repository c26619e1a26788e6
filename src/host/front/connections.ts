import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/**
 * The connections of an HTTP server from the moment they are accepted. Node's own list has them only from the end of their TLS
 * handshake, and takes one that has not sent anything for one with a request under way.
 */
export class Connections {
  readonly #server: Server;
  /** TCP connections, which TLS may use. */
  readonly #accepted = new Set<Socket>();
  /** Those that carry HTTP: with TLS, other objects than the accepted ones. */
  readonly #ready = new Set<Socket>();
  readonly #asked = new WeakSet<Socket>();
  #isClosing = false;

  /** Call it after everything that changes the listeners of the event `connection`. */
  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: Socket) => this.#keep(this.#accepted, socket));
    server.on("secureConnection", (socket: Socket) => this.#keep(this.#ready, socket));
    server.prependListener("request", ({ socket }: IncomingMessage) => this.#asked.add(socket));
  }

  /** Closes each connection without a request under way, and each one that is accepted or ends its handshake later. */
  closeUnused(): void {
    this.#isClosing = true;
    const ready = new Set(Array.from(this.#ready, peerOf));
    for (const socket of this.#accepted) {
      if (!this.#asked.has(socket) && !ready.has(peerOf(socket))) socket.destroy();
    }
    for (const socket of this.#ready) if (!this.#asked.has(socket)) socket.destroy();
    this.#server.closeIdleConnections();
  }

  /** Closes all connections. */
  closeAll(): void {
    this.#isClosing = true;
    this.#server.closeAllConnections();
    for (const socket of [...this.#ready, ...this.#accepted]) socket.destroy();
  }

  #keep(connections: Set<Socket>, socket: Socket): void {
    if (this.#isClosing) return void socket.destroy();
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  }
}

/** The client's end: the same for a TCP connection and for the TLS in it. Sockets of the Unix domain have none. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
