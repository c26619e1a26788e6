import type { Settings } from "../settings.ts";
import { watchKeyPair } from "../certificate-watch.ts";
import type { KeyPair, KeyPairFiles } from "../pem-files.ts";
import { startFront, type Front } from "./front.ts";
import { Networks } from "./networks.ts";
import type { RuntimeGate } from "../runtime-gate.ts";

/** Whether the settings need a front: the runtime's own listener supports neither TLS nor the PROXY protocol. */
export function needsFront({ httpTls, proxies }: Pick<Settings, "httpTls" | "proxies">): boolean {
  return httpTls !== null || proxies !== null;
}

/** The networks of PROXY_PROTOCOL_FROM; null: there are none. */
export function proxiesOf({ proxies }: Pick<Settings, "proxies">): Networks | null {
  return proxies === null ? null : new Networks(proxies);
}

/** The runtime behind the front. */
export interface Behind {
  /** The runtime's port for the front. */
  upstreamPort: number;
  /** Proves to the worker that a request comes from the front. */
  secret: string;
  gate: RuntimeGate;
  /** A socket that another program listens on; undefined: host and port of the settings. */
  fd?: number;
  log: (line: string) => void;
}

/** Starts the front that the settings ask for. Rejects with the error of `listen`. */
export function openFront(
  settings: Settings,
  { upstreamPort, secret, gate, fd, log }: Behind,
): Promise<Front> {
  return startFront({
    listen: fd === undefined ? { host: settings.host, port: settings.port } : { fd },
    upstreamPort,
    isUpstreamRunning: () => gate.passes(),
    secret,
    tls: settings.httpTls,
    proxies: proxiesOf(settings),
    trustClientAddress: settings.worker.TRUST_CLIENT_ADDRESS,
    log,
  });
}

/** A listener whose certificate can be replaced while it runs. */
interface Listener {
  setKeyPair(pair: KeyPair): void;
}

/** Watches the files of certificates, and gives each new pair to its listener. */
export function keepCertificates(
  uses: readonly { files: KeyPairFiles | null; listener: Listener | null }[],
  log: (line: string) => void,
): void {
  const listeners = new Map<string, { files: KeyPairFiles; all: Listener[] }>();
  for (const { files, listener } of uses) {
    if (files === null || listener === null) continue;
    const name = `${files.certFile}\0${files.keyFile}`;
    const known = listeners.get(name);
    if (known) known.all.push(listener);
    else listeners.set(name, { files, all: [listener] });
  }
  for (const { files, all } of listeners.values()) {
    watchKeyPair(files, { use: (pair) => all.forEach((one) => one.setKeyPair(pair)), log });
  }
}
