import { randomUUID } from "node:crypto";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";
import { MAX_INBOUND_RECIPIENTS } from "../../contract/limits.ts";
import { acceptThrough } from "../front/accept.ts";
import type { Networks } from "../front/networks.ts";
import type { KeyPair } from "../pem-files.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { connect, isGreetedAtOnce } from "./greeting.ts";
import { NO_OBSERVER } from "./observer.ts";
import type { SmtpObserver } from "./observer.ts";
import { tooManyConnections } from "./reply.ts";
import type { Reply } from "./reply.ts";
import type { Senders } from "./sender-checks.ts";
import { SmtpSessions } from "./sessions.ts";
import type { SmtpHandlers } from "./sessions.ts";
import { clearSpool } from "./spool.ts";
import type { RuntimeGate } from "../runtime-gate.ts";
import { rememberKnown } from "./known-recipients.ts";
import { connectUpstream } from "./upstream.ts";

export interface SmtpOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** A socket that another program listens on, in the place of host and port; undefined: none. */
  fd?: number;
  /** Base address of the worker, such as `http://127.0.0.1:8787`. */
  upstream: string;
  /** The operator key of the worker. */
  token: string;
  /** Messages and look-ups wait until it is open; undefined: it always is. */
  gate?: RuntimeGate;
  /** Emptied on start. */
  spoolDir: string;
  maxBytes: number;
  /** Name in the greeting; undefined: the host name of the machine. */
  name?: string;
  /** The address that `<postmaster>` without a domain means; undefined: it is an unknown recipient. */
  postmaster?: string;
  /** PEM texts; undefined: STARTTLS is not offered. */
  tls?: KeyPair;
  /** Networks whose connections begin with a header of the PROXY protocol; undefined: none do. */
  proxies?: Networks;
  /** Networks whose clients get the greeting without a pause, as this machine does; undefined: there are none. */
  known?: Networks;
  /** Checks who sent a message; undefined: senders are not checked. */
  senders?: Senders;
  /** Gets one line for each failure on our side; undefined: they are not logged. */
  log?: (line: string) => void;
  /** Is told what happens, to count and to log it; undefined: nobody is. */
  observer?: SmtpObserver;
  /** Puts something between clients and the handlers, such as faults of a test; undefined: nothing. */
  between?: (handlers: SmtpHandlers, drop: (session: string) => void) => SmtpHandlers;
  /** True: each recipient is looked up. Undefined: not one that the mail store knew less than two seconds ago. */
  looksUpAll?: boolean;
  /** The clock (ms) for idle clients and the pause before a delayed reply; undefined: those of the machine. */
  time?: { now(): number; pause(ms: number): Promise<void> };
}

export interface SmtpListener {
  host: string;
  port: number;
  /** Uses this certificate for new handshakes; open sessions go on. No effect if STARTTLS is not offered. */
  setKeyPair(pair: KeyPair): void;
  /** Refuses new mail at once, waits up to `graceMs` for messages under way, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

/** RFC 5321 §4.5.3.2.7: at least five minutes. */
const IDLE_TIMEOUT_MS = 5 * 60_000;

/** Starts the SMTP listener in front of the worker's `/v1/inbound`; rejects with the error of `listen`. */
export async function startSmtp(options: SmtpOptions): Promise<SmtpListener> {
  await clearSpool(options.spoolDir);
  const log = options.log ?? (() => {});
  const time = options.time ?? { now: () => performance.now(), pause: (ms) => setTimeout(ms) };
  const store = connectUpstream(options.upstream, options.token, { gate: options.gate, log });
  const upstream = options.looksUpAll === true ? store : rememberKnown(store, () => time.now());
  const connections = new ConnectionLimit({
    now: () => time.now(),
    close: (id) => closeConnection(server, id),
  });
  const sessions = new SmtpSessions({
    upstream,
    connections,
    postmaster: options.postmaster,
    spool: { dir: options.spoolDir, maxBytes: options.maxBytes },
    senders: options.senders ?? null,
    pause: (ms) => time.pause(ms),
    log,
    observer: options.observer ?? NO_OBSERVER,
  });
  const handlers = options.between?.(sessions.handlers(), (id) => dropConnection(server, id));
  const server = new SMTPServer({ ...serverOptions(options), ...(handlers ?? sessions.handlers()) });
  acceptThrough(server.server, { proxies: options.proxies ?? null, log }, (socket, client) => {
    const id = randomUUID();
    const refusal = sessions.admit(id, client);
    if (refusal !== null) return refuse(socket, refusal);
    connect(server, socket, { id, client, isAtOnce: isGreetedAtOnce(socket, client, options.known ?? null) });
  });
  const { address, port } = await listening(server, options);
  // A client that drops its connection needs no action, and an "error" without a listener would end the process.
  server.on("error", () => {});
  return {
    host: address,
    port,
    setKeyPair({ cert, key }) {
      if (options.tls) server.updateSecureContext({ cert, key });
    },
    async stop(graceMs) {
      // Systemd keeps a handed-over socket open: new clients wait there for the next process.
      if (options.fd !== undefined) server.server.close();
      await sessions.close(graceMs);
      await closeConnections(server);
      upstream.close();
    },
  };
}

function serverOptions(options: SmtpOptions): SMTPServerOptions {
  return {
    name: options.name,
    logger: false,
    size: options.maxBytes,
    maxRecipients: MAX_INBOUND_RECIPIENTS,
    socketTimeout: IDLE_TIMEOUT_MS,
    hideENHANCEDSTATUSCODES: false,
    // A reverse look-up for each connection would wait for DNS on a closed network, and nothing uses the name.
    disableReverseLookup: true,
    authOptional: true,
    // WIZ, SHELL and KILL are jokes of smtp-server; the key of its built-in certificate is public.
    disabledCommands: ["AUTH", "WIZ", "SHELL", "KILL", ...(options.tls ? [] : ["STARTTLS"])],
    ...(options.tls && { cert: options.tls.cert, key: options.tls.key, minVersion: "TLSv1.2" }),
  };
}

function listening(server: SMTPServer, options: SmtpOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const { fd, host, port } = options;
    const listener = server.listen(fd === undefined ? { host, port } : { fd }, () => {
      server.off("error", reject);
      const address = listener.address();
      if (address === null || typeof address === "string") throw new Error("not a TCP listener");
      resolve(address);
    });
  });
}

/** Refuses a connection before smtp-server takes it, and does not wait for its client to close it. */
function refuse(socket: Socket, { responseCode, message }: Reply): void {
  socket.on("error", () => {});
  socket.end(`${responseCode} ${message}\r\n`);
  socket.destroySoon();
}

/** Sends 421 first, so that the client knows that its message was not accepted. */
function closeConnection(server: SMTPServer, id: string): void {
  for (const connection of server.connections) {
    const { responseCode, message } = tooManyConnections();
    if (connection.id === id) connection.send(Number(responseCode), message);
  }
}

/** Ends a connection without a reply. */
export function dropConnection(server: SMTPServer, id: string): void {
  for (const connection of server.connections) if (connection.id === id) connection.close();
}

function closeConnections(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    // After this time (ms) smtp-server sends 421 to each open connection. Its default of 30 s would delay the stop.
    server.options.closeTimeout = 1;
    server.close(() => resolve());
  });
}
