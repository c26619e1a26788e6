import type { Socket } from "node:net";
import { withoutMapping } from "./proxy-header.ts";

/**
 * The addresses of clients behind a proxy, by connection. A connection is identified by its two addresses and two ports, which
 * are the same for a socket and for the TLS socket on top of it.
 */
export class ClientAddresses {
  readonly #addresses = new Map<string, string>();

  /** Notes the client's address of a connection, until it closes. */
  note(socket: Socket, address: string): void {
    const name = nameOf(socket);
    this.#addresses.set(name, address);
    socket.once("close", () => this.#addresses.delete(name));
  }

  /** The client's address: the one that was noted, else that of the peer. "" for a connection that is closed. */
  of(socket: Socket): string {
    return this.#addresses.get(nameOf(socket)) ?? peerAddress(socket);
  }
}

/** The peer's address without a zone such as `%eth0`; a mapped IPv4 address (`::ffff:…`) as IPv4. "" for a connection that is closed. */
export function peerAddress(socket: Socket): string {
  const [address = ""] = (socket.remoteAddress ?? "").split("%");
  return withoutMapping(address);
}

function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
