import { lookup } from "node:dns/promises";
import { stat, statfs } from "node:fs/promises";
import { connect, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { Socket } from "node:net";
import type { ResolverPlace } from "../../../config/kinds.ts";
import { addressesOf, dnsOf } from "./dns.ts";
import type { World } from "./world.ts";

/** Replaced targets of connections, as with `curl --connect-to`: `host:port` → another address and port. */
export type Detours = ReadonlyMap<string, { address: string; port: number }>;

export interface SystemOptions {
  /** Null: the resolvers of the system. */
  resolver: ResolverPlace | null;
  /** Whether the system also looks up a host that `resolver` does not know: the server itself connects that way. */
  asksSystemToo: boolean;
  authorities: readonly string[];
  detours: Detours;
}

/** The {@link World} of this system: its resolver, network, files and clock. */
export function systemWorld({ resolver, asksSystemToo, authorities, detours }: SystemOptions): World {
  const dns = dnsOf(resolver);
  return {
    dns,
    authorities,
    addresses: async (host) => {
      if (resolver === null || isLocal(host)) return ofSystem(host);
      const found = await addressesOf(dns, host);
      return found.length === 0 && asksSystemToo ? ofSystem(host) : found;
    },
    dial: (at, signal) => dial(detours.get(`${at.address}:${at.port}`) ?? at, signal),
    now: () => Date.now(),
    stat,
    room: async (folder) => {
      const { bsize, blocks, bavail, files, ffree } = await statfs(folder);
      return { bytes: blocks * bsize, freeBytes: bavail * bsize, files, freeFiles: ffree };
    },
    interfaces: () =>
      Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .map(({ address }) => address),
  };
}

const isLocal = (host: string): boolean => isIP(host) !== 0 || host === "localhost";

/** The resolver of the system also knows local names, such as those of a container network. */
async function ofSystem(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOTFOUND" || code === "ENODATA") return [];
    throw error;
  }
}

/** Opens a TCP connection; rejects with the error of the system. */
export function dial(at: { address: string; port: number }, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: at.address, port: at.port, signal });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // The reader notices a later error by the end of the stream.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}
