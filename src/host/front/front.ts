import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { KeyPair } from "../pem-files.ts";
import { acceptThrough } from "./accept.ts";
import type { ClientAddresses } from "./client-addresses.ts";
import { forward, upstreamAgent, type Upstream } from "./forward.ts";
import type { Networks } from "./networks.ts";
import { limit, LIMITS, listenOn, MAX_CONNECTIONS, perClientLimit, type Place } from "./server.ts";

export interface FrontOptions {
  listen: Place;
  /** The runtime's port on 127.0.0.1, which takes absolute targets. */
  upstreamPort: number;
  /** Resolves to true when the runtime has its port, to false if it takes too long; undefined: it always has it. */
  isUpstreamRunning?: () => Promise<boolean>;
  /** Tells the worker that a request comes from this front: {@link newFrontSecret}. */
  secret: string;
  /** Null: plain http. */
  tls: KeyPair | null;
  /** The networks whose connections begin with a header of the PROXY protocol; null: none do. */
  proxies: Networks | null;
  /** Whether clients are trusted proxies that name their own client in `CF-Connecting-IP`. */
  trustClientAddress: boolean;
  /** Gets one line for each connection whose PROXY header is refused. */
  log(line: string): void;
}

/** A reverse proxy for HTTP or HTTPS in front of the runtime, on the same machine. */
export interface Front {
  /** The port that it listens on; 0 for a socket that has none. */
  port: number;
  /** Uses this certificate for new handshakes; open connections go on. No effect without TLS. */
  setKeyPair(pair: KeyPair): void;
  /**
   * Accepts no more connections, closes those that are idle, and resolves when the others have finished their requests: at the
   * latest after `graceMs`, when it closes them.
   */
  drain(graceMs: number): Promise<void>;
}

/** A new secret; one is used as long as the process runs. */
export function newFrontSecret(): string {
  return randomBytes(16).toString("hex");
}

/** Listens, and passes each request to the runtime. Rejects with the error of `listen`. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const agent = upstreamAgent(MAX_CONNECTIONS);
  const { upstreamPort, secret, isUpstreamRunning: isRunning = async () => true } = options;
  const upstream: Upstream = { port: upstreamPort, secret, agent, isRunning };
  const server = limit(makeServer(options.tls));
  const clients = acceptThrough(server, {
    proxies: options.proxies,
    log: (line) => options.log(line),
    ...(options.trustClientAddress ? {} : { admit: perClientLimit() }),
  });
  server.on("request", passing(options, upstream, clients));
  const listening = await listenOn(server, options.listen);
  return {
    port: listening.port,
    setKeyPair: (pair) => {
      if (server instanceof https.Server) server.setSecureContext(contextOf(pair));
    },
    drain: async (graceMs) => {
      await listening.drain(graceMs);
      agent.destroy();
    },
  };
}

const HANDSHAKE_TIMEOUT_MS = 10_000;

function makeServer(tls: KeyPair | null): http.Server | https.Server {
  return tls === null
    ? http.createServer(LIMITS)
    : https.createServer({ ...LIMITS, ...contextOf(tls), handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
}

function contextOf({ cert, key }: KeyPair): https.ServerOptions {
  return { cert, key, minVersion: "TLSv1.2" };
}

function passing(
  { tls, trustClientAddress }: FrontOptions,
  upstream: Upstream,
  clients: ClientAddresses,
): http.RequestListener {
  return (request, response) => {
    const client = trustClientAddress ? null : clients.of(request.socket);
    void forward({ request, response, client, isHttps: tls !== null }, upstream);
  };
}
