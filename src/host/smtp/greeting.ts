import type { Socket } from "node:net";
import type { SMTPServer } from "smtp-server";
import { isLoopbackHost } from "../exposure.ts";
import { peerAddress } from "../front/client-addresses.ts";
import type { Networks } from "../front/networks.ts";

/**
 * Whether a client gets the greeting at once: this machine, and the `known` networks. All others wait 100 ms for it, which
 * catches senders of spam that talk before they are asked. A forwarder on this machine without the PROXY protocol makes its
 * clients look like this machine; they lose that wait and nothing else.
 *
 * @param client the address of the client: the one that a load balancer named, else that of the peer
 */
export function isGreetedAtOnce(socket: Socket, client: string, known: Networks | null): boolean {
  // A loopback address that a load balancer names is one of its own machine.
  const isThisMachine = isLoopbackHost(client) && client === peerAddress(socket);
  return isThisMachine || known?.has(client) === true;
}

/** Gives a socket to smtp-server. Its pause before the greeting cannot be set, so the step after the pause is taken here. */
export function connect(
  server: SMTPServer,
  socket: Socket,
  { id, client, isAtOnce }: { id: string; client: string; isAtOnce: boolean },
): void {
  server.connect(socket, { id, remoteAddress: client });
  const connection = isAtOnce ? [...server.connections].findLast((one) => one.id === id) : undefined;
  if (connection === undefined) return;
  const ready = connection.connectionReady.bind(connection);
  // smtp-server calls it after its pause.
  connection.connectionReady = () => {};
  ready();
}
