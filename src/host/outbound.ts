import path from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { BUNDLE_ROOT } from "./bundle.ts";

/** The worker through which every `fetch` of the service leaves. */
export const OUTBOUND = "outbound";

/**
 * Everything that `isPublicAddress` of `src/lib/public-url.ts` refuses, for the network that connects: some of it counts as
 * public there. A test holds the two together.
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
  // IPv6: whatever is no global unicast, loopback and mapped and translated IPv4 among it.
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
 * The way out of the local server. workerd's network looks names up itself and holds each address against these lists when
 * it connects, so that a name which resolves to one address when checked and to another when used gains nothing (T18).
 * Miniflare's own way out reaches every address, and takes no other network than behind a worker.
 */
export function outboundWorker(options: { allowPrivate: boolean }): V4WorkerOptions {
  const network = options.allowPrivate
    ? { allow: ["public", "private"] }
    : { allow: ["public"], deny: [...NOT_PUBLIC] };
  return {
    name: OUTBOUND,
    compatibilityDate: "2026-11-01",
    serviceBindings: { NETWORK: { network: { ...network, tlsOptions: { trustBrowserCas: true } } } },
    modulesRoot: BUNDLE_ROOT,
    modules: [{ type: "ESModule", path: path.join(BUNDLE_ROOT, "outbound.js"), contents: FORWARD }],
  };
}

/**
 * A request on its way through follows no redirect: what it answers is for its sender to judge. CF-Worker is a header that
 * Miniflare sets, in imitation of the platform, on whatever leaves a worker: it means nothing to a receiver.
 */
const FORWARD = `export default {
  fetch(request, env) {
    const headers = new Headers(request.headers);
    headers.delete("CF-Worker");
    return env.NETWORK.fetch(new Request(request, { headers }));
  },
};`;
