/** Groups of an IPv6 address that name its /64, which one client has all of. */
const IPV6_NETWORK_GROUPS = 4;

/** The network of one client: its IPv4 address, or the /64 of its IPv6 address. */
export function networkOf(address: string): string {
  return address.includes(":") ? ipv6Network(address) : address;
}

/** Whether a host name in a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function ipv6Network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const groups = [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ""));
  return `${groups.slice(0, IPV6_NETWORK_GROUPS).join(":")}::/64`;
}
