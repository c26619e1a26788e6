import type { Config } from "../config/env.ts";
import { digestsEqual } from "../lib/hash.ts";
import { networkOf } from "../lib/client-network.ts";

/** Stands for all clients whose address is unknown: on one machine, without a proxy. */
const LOCAL = "local";

/**
 * Identifies a client for rate limits: its address, for IPv6 its /64 network.
 * Only CF-Connecting-IP is trusted, and only if clients cannot set it themselves: the platform sets it, and a reverse proxy can,
 * which TRUST_CLIENT_ADDRESS says. This server's own front sets it, and proves this by a secret in another header.
 */
export function clientKey(request: Request, config: Config): string {
  const address = clientAddress(request, config);
  return address === null ? LOCAL : networkOf(address);
}

/** The address of a client, for people to read; null if it is unknown. */
export function clientAddress(request: Request, config: Config): string | null {
  const address = request.headers.get("CF-Connecting-IP")?.trim().toLowerCase() ?? "";
  return isTrusted(request, config) && /^[0-9a-f.:]{2,45}$/.test(address) ? address : null;
}

function isTrusted({ headers }: Request, { frontSecret, trustClientAddress }: Config): boolean {
  return frontSecret === null
    ? trustClientAddress
    : digestsEqual(headers.get("Mailkeep-Front") ?? "", frontSecret);
}
