import { LogLevel } from "worker-mailer";
import type { AuthType, Credentials } from "worker-mailer";
import type { DotStuffing } from "./dot-stuffing.ts";
import { codeOf } from "./reply.ts";
import { loginFailure, NO_AUTH_HINT, NO_STARTTLS_HINT, SmtpFailure } from "./smtp-failure.ts";
import type { SmtpSettings } from "./smtp-settings.ts";
import { WorkerMailerSteps, type SendingEnvelope } from "./worker-mailer-internals.ts";

/** Longest reply that is read, in bytes; those of real servers have a few lines. */
const MAX_REPLY_BYTES = 16_384;
const REFUSAL = /^[45][0-9]{2}[ -]/;
const encoder = new TextEncoder();

/** A session with a relay. It runs worker-mailer's steps and works around the defects of each. */
export class WorkerMailerSession extends WorkerMailerSteps {
  readonly #settings: SmtpSettings;
  readonly #hello: string;
  readonly #decoder = new TextDecoder();
  #received = "";
  /** Extensions that the relay offers, in capitals; if the session is encrypted, those of its EHLO answer after STARTTLS. */
  #offers: string[] = [];
  lastReply = "";
  #isOver = false;
  /** Messages that were answered, accepted or not. */
  transactions = 0;

  // Fields that the inherited steps read and write.
  socket: Socket;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, level: LogLevel.NONE };
  readonly credentials: Credentials | undefined;
  readonly authType: AuthType[];
  emailSending: SendingEnvelope | null = null;
  supportsDSN = false;
  supportsStartTls = false;
  allowAuth = false;
  authTypeSupported: AuthType[] = [];

  constructor(socket: Socket, settings: SmtpSettings, hello: string) {
    super();
    this.socket = socket;
    this.reader = socket.readable.getReader();
    this.writer = socket.writable.getWriter();
    this.#ignoreRejections();
    this.#settings = settings;
    this.#hello = settings.name ?? hello;
    const { auth } = settings;
    this.authType =
      auth?.kind !== "password" || auth.method === null ? ["plain", "login"] : [AUTH_TYPE[auth.method]];
    // The steps pass these to btoa, which takes a string of bytes.
    this.credentials =
      auth?.kind === "password"
        ? { username: utf8InLatin1(auth.user), password: utf8InLatin1(auth.password) }
        : undefined;
  }

  /**
   * Whether the session can carry a message: not after unexpected input, which would be read as the answer to the next
   * command.
   */
  get isOpen(): boolean {
    return !this.#isOver && this.#received === "";
  }

  /** Runs the session from the greeting to the login. */
  async begin(): Promise<void> {
    await this.#step(() => this.greet(), ofSession);
    await this.#step(() => this.ehlo(), ofSession);
    if (this.#settings.security === "starttls") {
      // Without STARTTLS the steps would continue in clear, and send the password so.
      if (!this.supportsStartTls)
        throw new SmtpFailure("The relay does not offer STARTTLS", "", "session", NO_STARTTLS_HINT);
      await this.#step(() => this.tls(), ofSession);
      await this.#step(() => this.ehlo(), ofSession);
    }
    if (this.credentials !== undefined) {
      if (!this.allowAuth) throw new SmtpFailure("The relay offers no AUTH", "", "session", NO_AUTH_HINT);
      await this.#step(() => this.auth(), ofLogin);
    }
  }

  /** The largest message that the relay accepts, in bytes; null if it states no limit (RFC 1870 §4). */
  get maxBytes(): number | null {
    const size = this.#offers.find((offer) => /^SIZE [0-9]+$/.test(offer));
    return Number(size?.slice(5) ?? 0) || null;
  }

  /** Sends MAIL FROM. The envelope id is included if the relay makes delivery reports. */
  async from(returnPath: string, envelopeId: string | null): Promise<void> {
    this.emailSending = {
      from: { email: returnPath },
      to: [],
      dsnOverride: {
        ...(envelopeId === null ? {} : { envelopeId: xtext(envelopeId) }),
        RET: { HEADERS: true },
        // Without these, the steps would send NOTIFY=NEVER.
        NOTIFY: { DELAY: true, FAILURE: true },
      },
    };
    await this.#step(() => this.mail(), ofSender);
  }

  /** Sends RCPT TO for one recipient: with several, the step would stop at the first refused one. */
  async to(recipient: string): Promise<void> {
    if (this.emailSending !== null) this.emailSending.to = [{ email: recipient }];
    await this.#step(() => this.rcpt(), ofRecipient);
  }

  /**
   * Sends DATA and the message without its end. The step `body` would hold the message in memory and encode it as UTF-8.
   * Reads meanwhile, so that a closed connection is noticed before the end is sent. Resolves to a function that sends the
   * end.
   */
  async message(
    chunks: AsyncIterable<Uint8Array>,
    stuffing: DotStuffing,
  ): Promise<{ end: () => Promise<string> }> {
    await this.#step(() => this.data(), ofMessage);
    const answer = this.readTimeout();
    const early = answer.then((reply) => {
      throw new SmtpFailure(
        "The relay answered before it was asked",
        REFUSAL.test(reply) ? reply : "",
        "message",
      );
    });
    early.catch(ignore);
    await Promise.race([this.#write(chunks, stuffing), early]);
    const end = async (): Promise<string> => {
      await this.writer.write(encoder.encode(stuffing.end()));
      return answer;
    };
    return { end };
  }

  /** Gives up a message whose envelope was refused; false if the session cannot continue. */
  async reset(): Promise<boolean> {
    try {
      await this.writeLine("RSET");
      return codeOf(await this.readTimeout()) === 250;
    } catch {
      // The connection ended, or the input is not a reply.
      return false;
    }
  }

  /** Sends QUIT and does not wait for the answer. */
  quit(): void {
    this.writer
      .write(encoder.encode("QUIT\r\n"))
      .catch(ignore)
      .finally(() => this.destroy());
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#isOver = true;
    this.socket.close().catch(ignore);
  }

  override async tls(): Promise<void> {
    await super.tls();
    // RFC 3207 §4.2: what was received before encryption must be discarded.
    this.#received = "";
    this.#offers = [];
    this.supportsDSN = false;
    this.allowAuth = false;
    this.authTypeSupported = [];
    this.#ignoreRejections();
  }

  override parseCapabilities(reply: string): void {
    super.parseCapabilities(reply);
    this.#offers = reply.split("\n").map((line) => line.slice(4).trim().toUpperCase());
  }

  override notificationBuilder(): string {
    const recipient = this.emailSending?.to[0]?.email ?? "";
    return `${super.notificationBuilder()} ORCPT=rfc822;${xtext(recipient)}`;
  }

  override async writeLine(line: string): Promise<void> {
    // A command must stay on one line, whatever its values contain.
    if (/[\r\n]/.test(line))
      throw new SmtpFailure("A command with a line end in it was not sent", "", "session");
    // RFC 5321 §3.3: no space before the path. §4.1.1.1: an IP address must not be sent as a host name.
    const written = line
      .replace(/^(MAIL FROM|RCPT TO): </, "$1:<")
      .replace(/^(EHLO|HELO) 127\.0\.0\.1$/, `$1 ${this.#hello}`);
    await this.writer.write(encoder.encode(`${written}\r\n`));
  }

  /**
   * The next complete reply, its lines ended by "\n". The inherited step loops forever on a closed connection, and takes
   * two replies for one.
   */
  override async readTimeout(): Promise<string> {
    for (;;) {
      const reply = this.#takeReply();
      if (reply !== null) return (this.lastReply = reply);
      if (this.#received.length > MAX_REPLY_BYTES)
        throw new SmtpFailure("The relay said more than a reply can hold", "", "session");
      const { done, value } = await this.reader.read();
      if (done) throw new SmtpFailure("The relay closed the connection", this.#lastWords(), "session");
      this.#received += this.#decoder.decode(value, { stream: true });
    }
  }

  async #write(chunks: AsyncIterable<Uint8Array>, stuffing: DotStuffing): Promise<void> {
    for await (const chunk of chunks) await this.writer.write(stuffing.stuff(chunk));
  }

  /** Ignores rejections of these promises: reads and writes report the same errors. */
  #ignoreRejections(): void {
    for (const closed of [this.socket.closed, this.reader.closed, this.writer.closed]) closed.catch(ignore);
  }

  #takeReply(): string | null {
    const match = /^(?:[0-9]{3}-[^\n]*\n)*(?![0-9]{3}-)[^\n]*\n/.exec(this.#received);
    if (match === null) return null;
    this.#received = this.#received.slice(match[0].length);
    return match[0].replaceAll("\r", "");
  }

  /** The rest of the input if it begins with a refusal, also without a line end. */
  #lastWords(): string {
    return REFUSAL.test(this.#received) ? this.#received : "";
  }

  /** Runs a step. A step throws a text; the failure contains the relay's reply instead, which says more. */
  async #step(
    step: () => Promise<void>,
    failure: (what: string, reply: string) => SmtpFailure,
  ): Promise<void> {
    this.lastReply = "";
    try {
      await step();
    } catch (error) {
      if (error instanceof SmtpFailure && error.reply === "") throw error;
      const what = error instanceof Error ? error.message : String(error);
      throw failure(codeOf(this.lastReply) === null ? what : this.lastReply, this.lastReply);
    }
  }
}

const ofSession = (what: string, reply: string): SmtpFailure => new SmtpFailure(what, reply, "session");
const ofSender = (what: string, reply: string): SmtpFailure => new SmtpFailure(what, reply, "sender");
const ofRecipient = (what: string, reply: string): SmtpFailure => new SmtpFailure(what, reply, "recipient");
const ofMessage = (what: string, reply: string): SmtpFailure => new SmtpFailure(what, reply, "message");
const ofLogin = (_what: string, reply: string): SmtpFailure => loginFailure(reply);
const AUTH_TYPE = { PLAIN: "plain", LOGIN: "login" } as const;

function ignore(): void {}

function utf8InLatin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Encodes text as xtext (RFC 3461 §4). */
function xtext(text: string): string {
  return text.replaceAll(/[^\x21-\x2a\x2c-\x3c\x3e-\x7e]/g, (octet) => {
    return `+${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}
