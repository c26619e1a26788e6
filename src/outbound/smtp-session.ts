import type net from "node:net";
import { Readable } from "node:stream";
import type { Duplex } from "node:stream";
import { xoauth2Login } from "./access-token.ts";
import { SmtpConnectionInternals, type InnerEnvelope, type SMTPConnection } from "./nodemailer-internals.ts";
import { RelaySocket } from "./relay-socket.ts";
import type { Connect } from "./relay-socket.ts";
import { loginFailure, NO_AUTH_HINT, NO_STARTTLS_HINT, SmtpFailure } from "./smtp-failure.ts";
import type { SmtpAuth, SmtpSettings } from "./smtp-settings.ts";

/** Longest reply that is read, in bytes; those of real servers have a few lines. */
const MAX_REPLY_BYTES = 16_384;
/** The relay of a session, and how to connect to it. */
export interface Dial {
  settings: SmtpSettings;
  /** The name in EHLO if the settings contain none. */
  hello: string;
  connect: Connect;
}

const TRANSPORT = { tls: "on", starttls: "starttls", none: "off" } as const;

/** Bytes that a relay may send before the first message, and for each message and each recipient. */
const SESSION_ALLOWANCE_BYTES = 65_536;
const RECIPIENT_ALLOWANCE_BYTES = MAX_REPLY_BYTES;
/** How long an answer to QUIT is awaited, in ms. */
const QUIT_LIMIT_MS = 1_000;

/** A `MAIL FROM` and its `RCPT TO`s; after `send` also the refusals of recipients. */
export interface SessionEnvelope {
  from: string;
  to: string[];
  size: number;
  /** ENVID; null if no reports are wanted. */
  envelopeId: string | null;
  /** Refused recipients and the replies to them; filled during `send`. */
  refused: Map<string, string>;
}

/** nodemailer's client, changed where workerd or a hostile peer requires it. */
class Connection extends SmtpConnectionInternals {
  readonly #socket: RelaySocket;
  #allowanceBytes = SESSION_ALLOWANCE_BYTES;

  constructor(socket: RelaySocket, options: SMTPConnection.Options) {
    // nodemailer uses only `setTimeout` of the socket, and the methods that every stream has.
    super({ ...options, connection: socket as Duplex as net.Socket });
    this.#socket = socket;
  }

  /** Sets the limit of received bytes to the most that one message to that many recipients may need. */
  allow(recipients: number): void {
    this.#allowanceBytes = SESSION_ALLOWANCE_BYTES + recipients * RECIPIENT_ALLOWANCE_BYTES;
  }

  /** nodemailer limits the length of one reply, but reads any number of empty lines, each in a turn of its own. */
  override _onData(chunk: Buffer): void {
    this.#allowanceBytes -= chunk.byteLength;
    if (this.#allowanceBytes >= 0) return super._onData(chunk);
    this._onError(new Error("The relay said more than a session can hold"), "EPROTOCOL", false, "CONN");
  }

  /** nodemailer would use node:tls, to which this connection does not belong. */
  override _upgradeConnection(callback: (error: Error | null, secured?: boolean) => void): void {
    // RFC 3207 §4.2: what was received in clear after the answer to STARTTLS must be discarded.
    this._remainder = "";
    this._responseQueue = [];
    this._responsePartial = false;
    try {
      this.#socket.secure();
    } catch (error) {
      return callback(error instanceof Error ? error : new Error(String(error)));
    }
    this.secure = true;
    callback(null, true);
  }

  /** nodemailer uses one ORCPT for all recipients; here each has its own (RFC 3461 §4.2). */
  override _getDsnRcptToArgs(): string {
    const recipient = this._recipientQueue.at(-1) ?? "";
    const dsn = this._envelope === false ? undefined : this._envelope.dsn;
    // UTF-8 addresses need the type of RFC 6533, which only relays with SMTPUTF8 accept.
    if (dsn) dsn.orcpt = /^[\x21-\x7e]+$/.test(recipient) ? `rfc822;${recipient}` : null;
    return super._getDsnRcptToArgs();
  }

  /** Bytes of the message that this host has not sent yet. */
  get unsentBytes(): number {
    const stuffer = this._currentDataStream;
    const held = stuffer ? stuffer.writableLength + stuffer.readableLength : 0;
    return held + this.#socket.writableLength;
  }
}

/** A session with a relay after greeting, encryption as configured, and login. */
export class SmtpSession {
  readonly #connection: Connection;
  readonly #socket: RelaySocket;
  readonly #lost: Promise<never>;
  /** Messages that were answered, or given up because their envelope was refused. */
  transactions = 0;

  private constructor(connection: Connection, socket: RelaySocket) {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => undefined);
    const closed = (): void => lost.reject(new SmtpFailure("The relay closed the connection", "", "session"));
    connection.on("error", (error: Error) => lost.reject(error));
    // If a callback in the same turn gets an error with more details, that error counts.
    connection.once("end", () => queueMicrotask(closed));
    // nodemailer may miss a close before the greeting, because it starts listening one turn after the connection.
    socket.once("close", () => connection.lastServerResponse === false && closed());
    this.#connection = connection;
    this.#socket = socket;
    this.#lost = lost.promise;
  }

  /** Connects and logs in. Rejects with an `SmtpFailure`, or with the reason of `signal`. */
  static async open(dial: Dial, signal: AbortSignal): Promise<SmtpSession> {
    const { host, port, security, name, auth } = dial.settings;
    const socket = await RelaySocket.open(
      dial.connect,
      { hostname: host, port },
      TRANSPORT[security],
      signal,
    ).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : failureOf(error);
    });
    const connection = new Connection(socket, {
      host,
      secure: security === "tls",
      secured: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      name: name ?? dial.hello,
      logger: false,
      maxResponseSize: MAX_REPLY_BYTES,
      // A FIN would first send what is buffered, and a peer that reads nothing would keep the socket open.
      socketCloseTimeout: 0,
    });
    const session = new SmtpSession(connection, socket);
    const giveUp = (): void => session.destroy();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await session.#ask((callback) => connection.connect(callback));
      if (auth !== null) await session.#login(auth);
      signal.throwIfAborted();
      return session;
    } catch (error) {
      session.destroy();
      throw signal.aborted ? signal.reason : failureOf(error);
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Whether the session can carry a message. */
  get isOpen(): boolean {
    return !this.#connection.destroyed && this.#socket.writable;
  }

  /** Resolves when the session has ended, from either side. */
  async over(): Promise<void> {
    await this.#lost.catch(() => undefined);
  }

  offers(extension: "SMTPUTF8" | "DSN" | "8BITMIME" | "SIZE"): boolean {
    return this.#connection._supportedExtensions.includes(extension);
  }

  /** The largest message that the relay accepts, in bytes; null if it states no limit (RFC 1870 §4). */
  get maxBytes(): number | null {
    return this.#connection._maxAllowedSize || null;
  }

  /**
   * Sends one message with dots stuffed. Sends its end when `body` is exhausted, and resolves to the reply. Rejects with an
   * `SmtpFailure`, or with what `body` throws.
   */
  async send(envelope: SessionEnvelope, body: AsyncIterable<Uint8Array>): Promise<string> {
    const connection = this.#connection;
    connection.allow(envelope.to.length);
    const { envelopeId } = envelope;
    const dsn = { ret: "HDRS", notify: "FAILURE,DELAY", envid: envelopeId };
    const inner: SMTPConnection.Envelope & InnerEnvelope = {
      from: envelope.from,
      to: envelope.to,
      size: envelope.size,
      use8BitMime: true,
      ...(envelopeId === null ? {} : { dsn }),
    };
    try {
      const info = await this.#ask<SMTPConnection.SentMessageInfo>((callback) =>
        connection.send(inner, Readable.from(body), callback),
      );
      this.transactions += 1;
      return info.response;
    } catch (error) {
      throw failureOf(error);
    } finally {
      for (const { recipient = "", response = "" } of inner.rejectedErrors ?? []) {
        envelope.refused.set(recipient, response);
      }
    }
  }

  /** Gives up a message whose envelope was refused; false if the session cannot continue. */
  async reset(): Promise<boolean> {
    if (!this.isOpen) return false;
    await this.#ask((callback) => this.#connection.reset(callback));
    this.transactions += 1;
    return true;
  }

  /** Resolves when the kernel has taken all written bytes. It polls, because no event for it exists on both kinds of streams. */
  async flushed(): Promise<void> {
    for (let waitMs = 0; this.#connection.unsentBytes > 0 && this.isOpen; waitMs = Math.min(20, waitMs + 1)) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    if (!this.isOpen) throw new SmtpFailure("The relay closed the connection", "", "session");
  }

  /** Sends QUIT. */
  quit(): void {
    if (!this.isOpen) return this.destroy();
    this.#connection.quit();
    const timer = setTimeout(() => this.destroy(), QUIT_LIMIT_MS);
    void this.over().then(() => clearTimeout(timer));
  }

  /** Closes the connection at once; buffered bytes are dropped. */
  destroy(): void {
    this.#connection.close();
    this.#socket.destroy();
  }

  async #login(auth: SmtpAuth): Promise<void> {
    if (!this.#connection.allowsAuth)
      throw new SmtpFailure("The relay offers no AUTH", "", "session", NO_AUTH_HINT);
    await this.#ask((callback) => this.#connection.login(credentialsOf(auth), callback));
  }

  /** Calls nodemailer. Rejects also when the connection ends, because nodemailer then drops its callbacks. */
  #ask<T>(question: (callback: (error?: Error | null, answer?: T) => void) => void): Promise<T> {
    const asked = new Promise<T>((resolve, reject) =>
      question((error, answer) => (error ? reject(error) : resolve(answer as T))),
    );
    return Promise.race([asked, this.#lost]);
  }
}

function credentialsOf(auth: SmtpAuth): SMTPConnection.AuthenticationType {
  if (auth.kind === "password") {
    return { credentials: { user: auth.user, pass: auth.password }, method: auth.method ?? false };
  }
  return { type: "OAUTH2", user: auth.user, method: "XOAUTH2", oauth2: xoauth2Login(auth) };
}

/** The subject of a reply, by nodemailer's name of the command that it answers. */
const SUBJECTS: Readonly<Record<string, SmtpFailure["about"]>> = {
  "MAIL FROM": "sender",
  "RCPT TO": "recipient",
  DATA: "message",
};

/** Converts an error of nodemailer or of the socket. */
function failureOf(error: unknown): Error {
  if (!(error instanceof Error)) return new SmtpFailure(String(error), "", "session");
  if (error instanceof SmtpFailure || !("code" in error)) return error;
  const reply = "response" in error && typeof error.response === "string" ? error.response : "";
  const command = "command" in error ? String(error.command) : "CONN";
  if (command.startsWith("AUTH")) return loginFailure(reply);
  // A failed handshake does not count: there the relay had offered STARTTLS.
  const isUnoffered = reply !== "" && (command === "STARTTLS" || error.message.includes("required STARTTLS"));
  return new SmtpFailure(
    error.message,
    reply,
    SUBJECTS[command] ?? "session",
    isUnoffered ? NO_STARTTLS_HINT : null,
  );
}
