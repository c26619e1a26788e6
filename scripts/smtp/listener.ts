import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import { MAX_INBOUND_RECIPIENTS } from "../../src/contract/limits.ts";
import { createGate } from "./gate.ts";
import type { Gate } from "./gate.ts";
import { mailboxFull, noSuchMailbox, shuttingDown, temporaryFailure, tooLarge } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { clearSpool, spool } from "./spool.ts";
import type { SpooledMessage } from "./spool.ts";
import { connectUpstream } from "./upstream.ts";
import type { Delivery, Envelope, Upstream } from "./upstream.ts";
import { verdict } from "./verdict.ts";

export interface SmtpOptions {
  host: string;
  /** 0 chooses a free one. */
  port: number;
  /** Where the worker answers, such as `http://127.0.0.1:8787`. */
  upstream: string;
  /** The operator key of the worker. */
  token: string;
  /** Emptied on start. */
  spoolDir: string;
  maxBytes: number;
  /** Name in the greeting; the host name of the machine if none. */
  name?: string;
  /** PEM texts; without them STARTTLS is not offered. */
  tls?: { cert: string; key: string };
  /** Gets one line for each failure of ours; silent if none. */
  log?: (line: string) => void;
}

export interface SmtpListener {
  host: string;
  port: number;
  /** Refuses new mail at once, waits up to `graceMs` for messages under way, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

/** Each may hold 1 MiB of message in memory. */
const MAX_CLIENTS = 100;
/** RFC 5321 §4.5.3.2.7: at least five minutes. */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** Large messages handed over at a time, over all connections: the worker holds each whole while it parses it. */
const PARALLEL_LARGE = 2;

type Callback = (error?: Error | null) => void;

/** Starts the SMTP listener in front of the worker's `/v1/inbound`; rejects with the error of `listen` if it cannot. */
export async function startSmtp(options: SmtpOptions): Promise<SmtpListener> {
  await clearSpool(options.spoolDir);
  const log = options.log ?? (() => {});
  const upstream = connectUpstream(options.upstream, options.token, log);
  const desk = new Desk(upstream, options, log);
  const server = new SMTPServer({ ...serverOptions(options), ...desk.handlers() });
  const { address, port } = await listening(server, options);
  // A client that drops its connection is its own business, and an unheard "error" would end the process.
  server.on("error", () => {});
  return {
    host: address,
    port,
    async stop(graceMs) {
      await desk.close(graceMs);
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
    maxClients: MAX_CLIENTS,
    maxRecipients: MAX_INBOUND_RECIPIENTS,
    socketTimeout: IDLE_TIMEOUT_MS,
    hideENHANCEDSTATUSCODES: false,
    // A look-up per connection would wait for DNS on a closed network, and nobody reads the name.
    disableReverseLookup: true,
    authOptional: true,
    // WIZ, SHELL and KILL are jokes of smtp-server's; its built-in certificate has a published key.
    disabledCommands: ["AUTH", "WIZ", "SHELL", "KILL", ...(options.tls ? [] : ["STARTTLS"])],
    ...options.tls,
  };
}

function listening(server: SMTPServer, options: SmtpOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const listener = server.listen(options.port, options.host, () => {
      server.off("error", reject);
      const address = listener.address();
      if (address === null || typeof address === "string") throw new Error("not a TCP listener");
      resolve(address);
    });
  });
}

function closeConnections(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    // After this time smtp-server says 421 to each open connection; without it an idle client holds up the stop for 30 s.
    server.options.closeTimeout = 1;
    server.close(() => resolve());
  });
}

/** The policy behind the protocol: who is a recipient, and when a message counts as received. */
class Desk {
  readonly #upstream: Upstream;
  readonly #limits: { dir: string; maxBytes: number };
  readonly #log: (line: string) => void;
  readonly #largeGate: Gate = createGate(PARALLEL_LARGE);
  readonly #underWay = new Set<Promise<void>>();
  #open = true;

  constructor(upstream: Upstream, options: SmtpOptions, log: (line: string) => void) {
    this.#upstream = upstream;
    this.#limits = { dir: options.spoolDir, maxBytes: options.maxBytes };
    this.#log = log;
  }

  handlers(): Pick<SMTPServerOptions, "onConnect" | "onMailFrom" | "onRcptTo" | "onData"> {
    const ifOpen = (callback: Callback): void => callback(this.#open ? null : shuttingDown());
    return {
      onConnect: (_session, callback) => ifOpen(callback),
      onMailFrom: (_address, _session, callback) => ifOpen(callback),
      onRcptTo: (recipient, _session, callback) => void this.#recipient(recipient.address).then(callback),
      onData: (stream, session, callback) => {
        const done = this.#receive(stream, session).then((reply) => callback(reply));
        this.#underWay.add(done);
        void done.finally(() => this.#underWay.delete(done));
      },
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#open = false;
    const grace = new Promise<void>((resolve) => void setTimeout(resolve, graceMs).unref());
    await Promise.race([Promise.allSettled(this.#underWay), grace]);
  }

  async #recipient(address: string): Promise<Reply | null> {
    switch (await this.#upstream.lookUp(address)) {
      case "known":
        return null;
      case "unknown":
        return noSuchMailbox([address]);
      case "full":
        return mailboxFull();
      case "unavailable":
        return temporaryFailure();
    }
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Reply> {
    let message: SpooledMessage | null = null;
    try {
      message = await spool(stream, this.#limits);
      if (!message) return tooLarge();
      return verdict(await this.#deliver(message, session));
    } catch (error) {
      // The client is gone (nobody hears the answer), or the spool's disk is full.
      this.#log(`smtp: ${error instanceof Error ? error.message : String(error)}`);
      return temporaryFailure();
    } finally {
      await message?.discard();
    }
  }

  #deliver(message: SpooledMessage, session: SMTPServerSession): Promise<Delivery[]> {
    const recipients = session.envelope.rcptTo.map((one) => one.address);
    const handOver = () => this.#upstream.handOver(message, recipients, envelopeOf(session));
    return message.onDisk ? this.#largeGate(handOver) : handOver();
  }
}

function envelopeOf(session: SMTPServerSession): Envelope {
  const { mailFrom } = session.envelope;
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    clientAddress: session.remoteAddress,
    helo: session.hostNameAppearsAs,
  };
}
