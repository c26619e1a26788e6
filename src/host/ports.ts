import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Refusal } from "./refusal.ts";

/** An address to listen on, and the variable that changes its port. */
export interface Place {
  protocol: "HTTP" | "SMTP" | "Metrics";
  host: string;
  port: number;
  variable: string;
}

/**
 * Listens on each place for a moment, so that a busy port is reported before the runtime starts. Throws a {@link Refusal}.
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

/** The one line for an error of `listen`, or of a runtime that could not listen. */
export function listenRefusal(place: Place, error: unknown): Refusal {
  const { protocol, host, port, variable } = place;
  const hostVariable = { HTTP: "HOST", SMTP: "SMTP_HOST", Metrics: "METRICS_HOST" }[protocol];
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  switch (code) {
    case "EADDRINUSE":
    // Miniflare's code for the same.
    case "ERR_ADDRESS_IN_USE":
      return new Refusal(
        `${protocol} port ${port} on ${host} is busy: stop the program that listens there, or set ${variable} to another port, such as ${variable}=${port + 1}`,
      );
    case "EACCES":
      return new Refusal(
        `${protocol} port ${port} on ${host} needs more rights: set ${variable} to a port above 1023`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new Refusal(
        `${hostVariable}=${host} is no address of this machine (${code}): ${protocol} cannot listen on it. Set ${hostVariable} to 127.0.0.1, or to 0.0.0.0 for all addresses`,
      );
    default:
      return new Refusal(
        `${protocol} cannot listen on ${host} port ${port} (${code}): set ${variable} or ${hostVariable}`,
      );
  }
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
