import type { Config } from "../config/env.ts";
import { networkOf } from "../lib/client-network.ts";

/** A client whose address nothing tells: the server runs on one machine, without a proxy. */
const LOCAL = "local";

/**
 * What a client's budgets are counted by: its address, for IPv6 its /64.
 * Only CF-Connecting-IP is believed, and that only where the deployment says that clients cannot write it themselves:
 * the platform sets it, and so may a proxy in front of a server of one's own.
 */
export function clientKey(request: Request, config: Config): string {
  const address = clientAddress(request, config);
  return address === null ? LOCAL : networkOf(address);
}

/** The address of a client as a person may be shown it; null where nothing tells. */
export function clientAddress(request: Request, config: Config): string | null {
  const address = request.headers.get("CF-Connecting-IP")?.trim().toLowerCase() ?? "";
  return config.trustClientAddress && /^[0-9a-f.:]{2,45}$/.test(address) ? address : null;
}
