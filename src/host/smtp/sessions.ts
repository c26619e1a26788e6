import { setTimeout } from "node:timers/promises";
import type { SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import type { Client } from "../../mail/authentication/checks/spf/spf.ts";
import { limitConcurrency } from "./concurrency.ts";
import type { RunLimited } from "./concurrency.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import { dataReply } from "./data-reply.ts";
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
import type { SmtpObserver } from "./observer.ts";
import type { RunningCheck, Senders } from "./sender-checks.ts";
import { spool } from "./spool.ts";
import type { SpooledMessage } from "./spool.ts";
import { Tarpit } from "./tarpit.ts";
import type { Delivery, Envelope, Upstream } from "./upstream.ts";

/** Large messages handed over at a time, over all connections: each takes some tens of MB of the worker's memory. */
const PARALLEL_LARGE = 2;

/** Everything that SMTP sessions need. */
export interface SessionTools {
  upstream: Upstream;
  connections: ConnectionLimit;
  /** The address that `<postmaster>` without a domain means; undefined: it is an unknown recipient. */
  postmaster: string | undefined;
  spool: { dir: string; maxBytes: number };
  /** Checks who sent a message; null: nothing is checked. */
  senders: Senders | null;
  pause(ms: number): Promise<void>;
  log(line: string): void;
  observer: SmtpObserver;
}

/** The handlers that smtp-server calls. */
export type SmtpHandlers = Required<
  Pick<SMTPServerOptions, "onConnect" | "onMailFrom" | "onRcptTo" | "onData" | "onClose">
>;

/** Decides for all SMTP sessions: which connections and recipients are accepted, and when a message counts as received. */
export class SmtpSessions {
  readonly #tools: SessionTools;
  readonly #tarpit = new Tarpit();
  readonly #runLarge: RunLimited = limitConcurrency(PARALLEL_LARGE);
  readonly #underWay = new Set<Promise<void>>();
  #isOpen = true;

  constructor(tools: SessionTools) {
    this.#tools = tools;
  }

  /** Admits a new connection before anything is read of it; the reply if it must be refused. */
  admit(id: string, address: string): Reply | null {
    const isAdmitted = this.#isOpen && this.#tools.connections.admit(id, address);
    if (isAdmitted) this.#tools.observer.opened();
    const refusal = this.#isOpen ? tooManyConnections() : shuttingDown();
    return isAdmitted ? null : this.#told(refusal, true);
  }

  /** The handlers that smtp-server calls. */
  handlers(): SmtpHandlers {
    const { connections, observer } = this.#tools;
    const closed = (): Reply | null => (this.#isOpen ? null : shuttingDown());
    return {
      onConnect: (_session, callback) => callback(this.#told(closed(), true)),
      onMailFrom: (_address, { id }, callback) => {
        connections.active(id);
        callback(this.#told(closed()));
      },
      onRcptTo: (recipient, { id }, callback) => {
        connections.active(id);
        if (!this.#isOpen) return callback(this.#told(shuttingDown()));
        const replied = this.#replyToRecipient(this.#wholeAddress(recipient.address), id);
        void replied.then((reply) => callback(this.#told(reply)));
      },
      onData: (stream, session, callback) => {
        connections.active(session.id, "message");
        const done = this.#receive(stream, session).then((reply) => {
          connections.active(session.id);
          callback(this.#told(reply));
        });
        this.#underWay.add(done);
        void done.finally(() => this.#underWay.delete(done));
      },
      onClose: ({ id }) => {
        connections.remove(id);
        observer.closed();
        this.#tarpit.forget(id);
      },
    };
  }

  /** Refuses new mail from now on, and waits up to `graceMs` for messages under way. */
  async close(graceMs: number): Promise<void> {
    this.#isOpen = false;
    const over = setTimeout(graceMs, "over", { ref: false });
    // A client whose recipients were accepted may still begin its message.
    while (this.#underWay.size > 0) {
      if ((await Promise.race([Promise.allSettled(this.#underWay), over])) === "over") return;
    }
  }

  /** Tells the observer of a refusal, and returns the reply. */
  #told(reply: Reply | null, isConnection = false): Reply | null {
    if (reply?.reason != null) this.#tools.observer.refused(reply.reason, isConnection);
    return reply;
  }

  async #replyToRecipient(address: string, session: string): Promise<Reply | null> {
    switch (await this.#tools.upstream.lookUp(address)) {
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

  /** RFC 5321 §4.1.1.3: `postmaster` is the one address that needs no domain. */
  #wholeAddress(address: string): string {
    return address.toLowerCase() === "postmaster" ? (this.#tools.postmaster ?? address) : address;
  }

  async #refuse(address: string, session: string): Promise<Reply> {
    const consequence = this.#tarpit.count(session);
    if (consequence.kind === "close") return tooManyUnknown();
    if (consequence.delayMs > 0) {
      this.#tools.observer.delayed();
      await this.#tools.pause(consequence.delayMs);
    }
    return noSuchMailbox([address]);
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Reply> {
    const startMs = performance.now();
    const { reply, bytes, deliveries } = await this.#answer(stream, session);
    this.#tools.observer.answered({
      status: String(reply.responseCode),
      durationMs: performance.now() - startMs,
      recipients: session.envelope.rcptTo.length,
      bytes,
      ids: deliveries.flatMap(({ result }) => (result.kind === "stored" ? [result.id] : [])),
    });
    return reply;
  }

  async #answer(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<{ reply: Reply; bytes: number; deliveries: Delivery[] }> {
    let message: SpooledMessage | null = null;
    const check = this.#tools.senders?.begin(clientOf(session)) ?? null;
    try {
      message = await spool(stream, this.#tools.spool, (bytes) => {
        this.#tools.connections.received(session.id, bytes.length);
        check?.push(bytes);
      });
      this.#tools.connections.active(session.id, "storing");
      if (!message) return { reply: tooLarge(), bytes: 0, deliveries: [] };
      const deliveries = await this.#deliver(message, session, check);
      return { reply: dataReply(deliveries), bytes: message.sizeBytes, deliveries };
    } catch (error) {
      // The client disconnected and reads no reply, or the disk of the spool is full.
      this.#tools.log(`smtp: ${error instanceof Error ? error.message : String(error)}`);
      return { reply: temporaryFailure(), bytes: 0, deliveries: [] };
    } finally {
      check?.abandon();
      await message?.discard();
    }
  }

  async #deliver(
    message: SpooledMessage,
    session: SMTPServerSession,
    check: RunningCheck | null,
  ): Promise<Delivery[]> {
    const recipients = session.envelope.rcptTo.map((one) => this.#wholeAddress(one.address));
    const sender = (await check?.finish()) ?? null;
    const envelope = { ...envelopeOf(session), sender };
    const handOver = () => this.#tools.upstream.handOver(message, recipients, envelope);
    return message.onDisk ? this.#runLarge(handOver) : handOver();
  }
}

/** The client as SPF asks about it. */
function clientOf(session: SMTPServerSession): Client {
  const { from, clientAddress, helo } = envelopeOf(session);
  return { address: clientAddress, helo, mailFrom: from };
}

function envelopeOf(session: SMTPServerSession): Omit<Envelope, "sender"> {
  const { mailFrom } = session.envelope;
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    clientAddress: session.remoteAddress,
    helo: session.hostNameAppearsAs,
  };
}
