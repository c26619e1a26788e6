/** The network of one client: its IPv4 address, or the /64 of its IPv6 address. */
export function networkOf(address: string): string {
  return networksOf(address)[0];
}

/** Counts open connections by the networks of their clients. */
export class NetworkCounts {
  readonly #limits: readonly number[];
  readonly #counts = new Map<string, number>();

  /** The most connections of one IPv4 address or /64 of IPv6, of one /56, and of one /48. */
  constructor(...limits: readonly [narrow: number, of56: number, of48: number]) {
    this.#limits = limits;
  }

  /** Counts one more connection of a client; false, without counting it, if one of its networks has its most. */
  add(address: string): boolean {
    const networks = networksOf(address);
    if (networks.some((network, index) => this.#count(network) >= (this.#limits[index] ?? 0))) return false;
    for (const network of networks) this.#counts.set(network, this.#count(network) + 1);
    return true;
  }

  remove(address: string): void {
    for (const network of networksOf(address)) {
      const left = this.#count(network) - 1;
      if (left > 0) this.#counts.set(network, left);
      else this.#counts.delete(network);
    }
  }

  /** The connections of the widest network of a client. */
  of(address: string): number {
    return this.#count(networksOf(address).at(-1) ?? "");
  }

  #count(network: string): number {
    return this.#counts.get(network) ?? 0;
  }
}

/** Whether a host name in a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * The networks of a client, narrowest first: its IPv4 address alone, or the /64, /56 and /48 of its IPv6 address. One client may
 * have all of a /48 (RFC 6177).
 */
function networksOf(address: string): [string, ...string[]] {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return [mapped];
  if (!address.includes(":")) return [address];
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const groups = [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ""));
  const [a, b, c, d = "0"] = groups;
  // The fourth group has the bits 49 to 64.
  const of56 = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return [`${a}:${b}:${c}:${d}::/64`, `${a}:${b}:${c}:${of56}::/56`, `${a}:${b}:${c}::/48`];
}
