import { BlockList, isIPv4 } from "node:net";

/** Networks in CIDR form, such as `10.0.0.0/8` and `2001:db8::/32`. */
export class Networks {
  readonly #list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = "", bits] = network.split("/");
      this.#list.addSubnet(address, Number(bits), isIPv4(address) ? "ipv4" : "ipv6");
    }
  }

  /** Whether one of the networks holds this IP address. */
  has(address: string): boolean {
    return this.#list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }
}
