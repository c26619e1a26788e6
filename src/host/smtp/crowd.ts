import { networkOf } from "../../lib/client-network.ts";

/** A connection as the policy sees it. */
interface Member {
  address: string;
  /** When the client last did what brings mail nearer: connected, named a sender or a recipient, ended a message. */
  activeAtMs: number;
  /** Its message comes in or is being stored. */
  isBusy: boolean;
}

/** What keeps one client from taking all places of the others. */
export interface CrowdOptions {
  /** Connections at a time. */
  maxClients: number;
  /** Of them from one address; for IPv6 from one /64, which is one client's. */
  maxPerAddress: number;
  /** Where all places are taken, who did nothing for this long may lose its place, */
  minIdleMs: number;
  /** and so may who has sent one message for this long. */
  minBusyMs: number;
  /** ms since any moment. */
  now(): number;
  /** Closes the connection of a session, which comes again when it wants to. */
  close(id: string): void;
}

/** Who is connected, and who has to go when there is no place left. */
export class Crowd {
  readonly #options: CrowdOptions;
  readonly #members = new Map<string, Member>();

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Takes a connection in, if need be in the place of an idle one; false if it must be refused. */
  enter(id: string, address: string): boolean {
    const client = networkOf(address);
    if (this.#countOf(client) >= this.#options.maxPerAddress) return false;
    if (this.#members.size >= this.#options.maxClients && !this.#makeRoom()) return false;
    this.#members.set(id, { address: client, activeAtMs: this.#options.now(), isBusy: false });
    return true;
  }

  /** The client did something. */
  active(id: string, isBusy = false): void {
    const member = this.#members.get(id);
    if (member) Object.assign(member, { activeAtMs: this.#options.now(), isBusy });
  }

  leave(id: string): void {
    this.#members.delete(id);
  }

  /** Ends the connection that is idle longest among those of the address that has most. */
  #makeRoom(): boolean {
    const { minIdleMs, minBusyMs } = this.#options;
    const nowMs = this.#options.now();
    const idle = [...this.#members].filter(
      ([, { isBusy, activeAtMs }]) => nowMs - activeAtMs >= (isBusy ? minBusyMs : minIdleMs),
    );
    const counts = new Map<string, number>();
    for (const { address } of this.#members.values()) counts.set(address, (counts.get(address) ?? 0) + 1);
    const [first] = idle.toSorted(
      ([, one], [, two]) =>
        (counts.get(two.address) ?? 0) - (counts.get(one.address) ?? 0) || one.activeAtMs - two.activeAtMs,
    );
    if (first === undefined) return false;
    this.#members.delete(first[0]);
    this.#options.close(first[0]);
    return true;
  }

  #countOf(client: string): number {
    return [...this.#members.values()].filter(({ address }) => address === client).length;
  }
}
