import path from "node:path";
import type { V4WorkerOptions } from "miniflare";

/** The name of the worker through which every `fetch` of the service goes out. */
export const OUTBOUND = "outbound";

/**
 * The addresses that `isPublicAddress` of `src/lib/public-url.ts` refuses, for workerd's network, which counts some of them as
 * public. A test compares the two lists.
 */
export const NOT_PUBLIC: readonly string[] = [
  // IPv4: this network, private, CGNAT, loopback, link-local, a cloud's metadata.
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  // Protocol assignments, documentation, relays, AS112, benchmarks, multicast, reserved.
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // IPv6: everything that is not global unicast, with loopback and mapped and translated IPv4.
  "::/3",
  "4000::/2",
  "8000::/1",
  // Within it: protocol assignments with Teredo and ORCHID, documentation, 6to4, AS112.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
];

/**
 * The outbound network of the local server. workerd looks names up itself and checks the address when it connects, so a name
 * that resolves to another address after it was checked (DNS rebinding) gains nothing. Miniflare's own outbound network
 * reaches every address, and can be replaced only by a worker.
 */
export function outboundWorker(options: { allowPrivate: boolean }): V4WorkerOptions {
  const network = options.allowPrivate
    ? { allow: ["public", "private"] }
    : { allow: ["public"], deny: [...NOT_PUBLIC] };
  return {
    name: OUTBOUND,
    compatibilityDate: "2026-11-01",
    serviceBindings: { NETWORK: { network: { ...network, tlsOptions: { trustBrowserCas: true } } } },
    modulesRoot: import.meta.dirname,
    modules: [{ type: "ESModule", path: path.join(import.meta.dirname, "outbound.js"), contents: FORWARD }],
  };
}

/**
 * Forwards a request without following redirects: its sender decides about them. Miniflare sets the header CF-Worker, as
 * Cloudflare does, on every request of a worker; it means nothing to a receiver here and is removed.
 */
const FORWARD = `export default {
  fetch(request, env) {
    const headers = new Headers(request.headers);
    headers.delete("CF-Worker");
    return env.NETWORK.fetch(new Request(request, { headers }));
  },
};`;
