import type { Config } from "../env.ts";

/** A client whose address nothing tells: the server runs on one machine, without a proxy. */
const LOCAL = "local";
/** An IPv6 client holds a /64: its first four groups. */
const IPV6_NETWORK_GROUPS = 4;

/**
 * What a client's budgets are counted by: its address, for IPv6 its /64.
 * Only CF-Connecting-IP is believed, and that only where the deployment says that clients cannot write it themselves:
 * the platform sets it, and so may a proxy in front of a server of one's own.
 */
export function clientKey(request: Request, config: Config): string {
  const address = clientAddress(request, config);
  return address === null ? LOCAL : networkOf(address);
}

/** What one client may hold of addresses: for IPv6 the /64. */
export function networkOf(address: string): string {
  return address.includes(":") ? ipv6Network(address) : address;
}

/** The address of a client as a person may be shown it; null where nothing tells. */
export function clientAddress(request: Request, config: Config): string | null {
  const address = request.headers.get("CF-Connecting-IP")?.trim().toLowerCase() ?? "";
  return config.trustClientAddress && /^[0-9a-f.:]{2,45}$/.test(address) ? address : null;
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

/** Whether a host name in a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
