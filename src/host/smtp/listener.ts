import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { SMTPServer } from "smtp-server";
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import { MAX_INBOUND_RECIPIENTS } from "../../contract/limits.ts";
import { Crowd } from "./crowd.ts";
import { createGate } from "./gate.ts";
import type { Gate } from "./gate.ts";
import { Refusals } from "./refusals.ts";
import {
  mailboxFull,
  noSuchMailbox,
  shuttingDown,
  temporaryFailure,
  tooLarge,
  tooManyConnections,
  tooManyUnknown,
} from "./reply.ts";
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
  /** Whom `<postmaster>` without a domain means; nobody if none. */
  postmaster?: string;
  /** PEM texts; without them STARTTLS is not offered. */
  tls?: { cert: string; key: string };
  /** Gets one line for each failure of ours; silent if none. */
  log?: (line: string) => void;
  /** The clock of idle clients (ms) and how a slow answer waits; those of the machine if none. */
  time?: { now(): number; pause(ms: number): Promise<void> };
}

export interface SmtpListener {
  host: string;
  port: number;
  /** Refuses new mail at once, waits up to `graceMs` for messages under way, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

/** Each may hold 1 MiB of message in memory. */
const MAX_CLIENTS = 100;
/** smtp-server refuses only beyond them, so that a newcomer can be given the place of an idle client. */
const RESERVE_CLIENTS = 20;
/** Half of them: two clients that take what they can leave nothing to a third, one always does. */
const MAX_CLIENTS_PER_ADDRESS = 50;
/** A client that is slower than this between two steps loses its place where all are taken, and may come again. */
const MIN_IDLE_MS = 10_000;
/** The same of one whose message comes in slowly: 25 MiB in this time are 44 KB a second. */
const MIN_BUSY_MS = 10 * 60_000;
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
  const time = options.time ?? { now: () => performance.now(), pause: (ms) => setTimeout(ms) };
  const crowd = new Crowd({
    maxClients: MAX_CLIENTS,
    maxPerAddress: MAX_CLIENTS_PER_ADDRESS,
    minIdleMs: MIN_IDLE_MS,
    minBusyMs: MIN_BUSY_MS,
    now: () => time.now(),
    close: (id) => closeConnection(server, id),
  });
  const desk = new Desk({ upstream, crowd, pause: (ms) => time.pause(ms), log }, options);
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
    maxClients: MAX_CLIENTS + RESERVE_CLIENTS,
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

/** Says so first: the client knows that nothing of what it sent was lost or taken. */
function closeConnection(server: SMTPServer, id: string): void {
  for (const connection of server.connections) {
    const { responseCode, message } = tooManyConnections();
    if (connection.id === id) connection.send(Number(responseCode), message);
  }
}

function closeConnections(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    // After this time smtp-server says 421 to each open connection; without it an idle client holds up the stop for 30 s.
    server.options.closeTimeout = 1;
    server.close(() => resolve());
  });
}

/** What the desk works with. */
interface DeskTools {
  upstream: Upstream;
  crowd: Crowd;
  pause(ms: number): Promise<void>;
  log(line: string): void;
}

/** The policy behind the protocol: who is heard, who is a recipient, and when a message counts as received. */
class Desk {
  readonly #upstream: Upstream;
  readonly #crowd: Crowd;
  readonly #refusals = new Refusals();
  readonly #pause: (ms: number) => Promise<void>;
  readonly #postmaster: string | undefined;
  readonly #limits: { dir: string; maxBytes: number };
  readonly #log: (line: string) => void;
  readonly #largeGate: Gate = createGate(PARALLEL_LARGE);
  readonly #underWay = new Set<Promise<void>>();
  #open = true;

  constructor(tools: DeskTools, options: SmtpOptions) {
    this.#upstream = tools.upstream;
    this.#crowd = tools.crowd;
    this.#pause = (ms) => tools.pause(ms);
    this.#postmaster = options.postmaster;
    this.#limits = { dir: options.spoolDir, maxBytes: options.maxBytes };
    this.#log = (line) => tools.log(line);
  }

  handlers(): Pick<SMTPServerOptions, "onConnect" | "onMailFrom" | "onRcptTo" | "onData" | "onClose"> {
    const ifOpen = (callback: Callback): void => callback(this.#open ? null : shuttingDown());
    return {
      onConnect: ({ id, remoteAddress }, callback) => {
        if (!this.#crowd.enter(id, remoteAddress)) return callback(tooManyConnections());
        ifOpen(callback);
      },
      onMailFrom: (_address, { id }, callback) => {
        this.#crowd.active(id);
        ifOpen(callback);
      },
      onRcptTo: (recipient, { id }, callback) => {
        this.#crowd.active(id);
        void this.#recipient(this.#wholeAddress(recipient.address), id).then(callback);
      },
      onData: (stream, session, callback) => {
        this.#crowd.active(session.id, true);
        const done = this.#receive(stream, session).then((reply) => {
          this.#crowd.active(session.id);
          callback(reply);
        });
        this.#underWay.add(done);
        void done.finally(() => this.#underWay.delete(done));
      },
      onClose: ({ id }) => {
        this.#crowd.leave(id);
        this.#refusals.forget(id);
      },
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#open = false;
    const grace = setTimeout(graceMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#underWay), grace]);
  }

  async #recipient(address: string, session: string): Promise<Reply | null> {
    switch (await this.#upstream.lookUp(address)) {
      case "known":
        return null;
      case "unknown":
        return this.#refuse(address, session);
      case "full":
        return mailboxFull();
      case "unavailable":
        return temporaryFailure();
    }
  }

  /** RFC 5321 §4.1.1.3: the one address that needs no domain. */
  #wholeAddress(address: string): string {
    return address.toLowerCase() === "postmaster" ? (this.#postmaster ?? address) : address;
  }

  /** Who tries many addresses learns of each more slowly than of the one before, and then of none. */
  async #refuse(address: string, session: string): Promise<Reply> {
    const consequence = this.#refusals.note(session);
    if (consequence.kind === "close") return tooManyUnknown();
    if (consequence.delayMs > 0) await this.#pause(consequence.delayMs);
    return noSuchMailbox([address]);
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
    const recipients = session.envelope.rcptTo.map((one) => this.#wholeAddress(one.address));
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
