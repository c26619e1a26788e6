import { networkOf } from "../../lib/client-network.ts";

interface Connection {
  /** The client's address; for IPv6 its /64. */
  client: string;
  /** When the client last connected, named a sender or a recipient, or ended a message. */
  activeAtMs: number;
  /** Its message comes in or is being stored. */
  isBusy: boolean;
}

/** Limits that keep one client from taking the places of all others. */
export interface ConnectionLimitOptions {
  maxConnections: number;
  /** Connections from one IPv4 address, or from one /64 of IPv6, which belongs to one client. */
  maxPerClient: number;
  /** When all places are taken, a connection that was idle for this long may be closed. */
  minIdleMs: number;
  /** The same for a connection that has been sending one message for this long. */
  minBusyMs: number;
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Closes the connection of a session. Its client may connect again. */
  close(id: string): void;
}

/** Counts connections, and closes an idle one for a newcomer when all places are taken. */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  readonly #connections = new Map<string, Connection>();

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** Admits a connection, if necessary in the place of an idle one; false if it must be refused. */
  admit(id: string, address: string): boolean {
    const client = networkOf(address);
    if (this.#countOf(client) >= this.#options.maxPerClient) return false;
    if (this.#connections.size >= this.#options.maxConnections && !this.#makeRoom()) return false;
    this.#connections.set(id, { client, activeAtMs: this.#options.now(), isBusy: false });
    return true;
  }

  /** Notes that the client did something. */
  active(id: string, isBusy = false): void {
    const connection = this.#connections.get(id);
    if (connection) Object.assign(connection, { activeAtMs: this.#options.now(), isBusy });
  }

  remove(id: string): void {
    this.#connections.delete(id);
  }

  /** Closes the longest idle connection of the client that has the most connections; false if none is idle long enough. */
  #makeRoom(): boolean {
    const { minIdleMs, minBusyMs } = this.#options;
    const nowMs = this.#options.now();
    const idle = [...this.#connections].filter(
      ([, { isBusy, activeAtMs }]) => nowMs - activeAtMs >= (isBusy ? minBusyMs : minIdleMs),
    );
    const counts = new Map<string, number>();
    for (const { client } of this.#connections.values()) counts.set(client, (counts.get(client) ?? 0) + 1);
    const [first] = idle.toSorted(
      ([, one], [, two]) =>
        (counts.get(two.client) ?? 0) - (counts.get(one.client) ?? 0) || one.activeAtMs - two.activeAtMs,
    );
    if (first === undefined) return false;
    this.#connections.delete(first[0]);
    this.#options.close(first[0]);
    return true;
  }

  #countOf(client: string): number {
    return [...this.#connections.values()].filter((one) => one.client === client).length;
  }
}
