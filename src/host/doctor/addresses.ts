import ipaddr from "ipaddr.js";

/** Whether an address is public: not of a private network, of this machine, or reserved for a special use. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";
}
