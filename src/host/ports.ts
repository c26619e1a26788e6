import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Refusal } from "./refusal.ts";

/** One address to listen on, and the variable that changes it. */
export interface Place {
  protocol: "HTTP" | "SMTP";
  host: string;
  port: number;
  variable: string;
}

/**
 * Binds and frees each place, so that a busy port is said before the runtime starts and stumbles over it.
 * Returns the ports in the same order, 0 replaced by a free one; no two are the same.
 */
export async function claimPorts(places: readonly Place[]): Promise<number[]> {
  const probes = await Promise.allSettled(places.map(bind));
  const ports = await Promise.all(
    probes.map(async (probe) => {
      if (probe.status === "rejected") return null;
      await probe.value.free();
      return probe.value.port;
    }),
  );
  for (const probe of probes) if (probe.status === "rejected") throw probe.reason;
  return ports.flatMap((port) => port ?? []);
}

/** The one line for an error of `listen`, or of a runtime that could not. */
export function listenRefusal(place: Place, error: unknown): Refusal {
  const { protocol, host, port, variable } = place;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  // The second is what Miniflare makes of workerd's.
  if (code === "EADDRINUSE" || code === "ERR_ADDRESS_IN_USE") {
    return new Refusal(
      `${protocol} port ${port} on ${host} is busy: stop what listens there, or set ${variable}`,
    );
  }
  if (code === "EACCES") {
    return new Refusal(
      `${protocol} port ${port} on ${host} needs more rights: set ${variable} to one above 1023`,
    );
  }
  return new Refusal(
    `${protocol} cannot listen on ${host} port ${port} (${code}): set ${variable} or its host`,
  );
}

function bind(place: Place): Promise<{ port: number; free: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => reject(listenRefusal(place, error)));
    probe.listen({ host: place.host, port: place.port, exclusive: true }, () => {
      const { port } = probe.address() as AddressInfo;
      resolve({ port, free: () => new Promise((freed) => void probe.close(() => freed())) });
    });
  });
}
