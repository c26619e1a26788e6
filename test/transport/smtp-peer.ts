import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import path from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";

/** The action of a peer at one point of a session. */
export type Act = (talk: Talk, line: string) => void;

/** Where a peer departs from a correct one. */
export interface Plan {
  /** On connecting. */
  greeting?: Act;
  /** One for each command, by its first word in capitals; `RCPT` and the like. */
  on?: Readonly<Record<string, Act>>;
  /** After the final dot. */
  end?: Act;
  /** In the middle of DATA, at the first bytes of it. */
  data?: Act;
  /** Lines of EHLO beside its name. */
  offers?: readonly string[];
  /** The same once the session is encrypted. */
  offersSecured?: readonly string[];
  /** Encrypted from the first byte. */
  implicitTls?: boolean;
  certificate?: "localhost" | "other" | "expired" | "untrusted";
  /** A certificate of the test's own and its key, as PEM, in the place of those. */
  tls?: { cert: string; key: string };
}

/** A message as it was taken: the wire's bytes with dots undone. */
export interface Taken {
  commands: string[];
  bytes: Buffer;
}

const CERTIFICATES = path.join(import.meta.dirname, "certificates");
const LINE_END = Buffer.from("\r\n");
const MESSAGE_END = Buffer.from("\r\n.\r\n");

export const say =
  (text: string): Act =>
  (talk) =>
    talk.write(`${text}\r\n`);
/** Never answers. */
export const hang: Act = () => undefined;
/** FIN, after everything that was said. */
export const close: Act = (talk) => talk.socket.end();
/** RST. */
export const reset: Act = (talk) => talk.plain.resetAndDestroy();
/** Each octet in a packet of its own. */
export const trickle =
  (text: string): Act =>
  (talk) => {
    const octets = Buffer.from(`${text}\r\n`);
    let at = 0;
    const timer = setInterval(() => {
      if (at === octets.length || talk.socket.destroyed) clearInterval(timer);
      else talk.socket.write(octets.subarray(at, (at += 1)));
    }, 1);
  };
/** Each time the next of `acts`; the last one for good. */
export const inTurn = (...acts: Act[]): Act => {
  let at = 0;
  return (talk, line) => {
    const act = acts[Math.min(at, acts.length - 1)];
    at += 1;
    act?.(talk, line);
  };
};

/** An SMTP server that does exactly what its plan says, correct or not. */
export class SmtpPeer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly plan: Plan;
  port = 0;
  connections = 0;
  taken: Taken[] = [];
  /** Every line that was read as a command, on every connection, also injected ones. */
  commands: string[] = [];
  /** Bytes that came in clear. */
  clear: Buffer[] = [];

  private constructor(plan: Plan) {
    this.plan = plan;
    this.#server = createServer((socket) => this.#converse(socket));
  }

  static async start(plan: Plan = {}): Promise<SmtpPeer> {
    const peer = new SmtpPeer(plan);
    await new Promise<void>((listening) => peer.#server.listen(0, "127.0.0.1", listening));
    const address = peer.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    peer.port = address.port;
    return peer;
  }

  /** As a URL in `SMTP_URL`; in clear unless said otherwise. */
  url(options: { credentials?: string; scheme?: "smtp" | "smtps"; query?: string } = {}): string {
    const { credentials = "", scheme = "smtp", query = scheme === "smtp" ? "?ignoreTLS=true" : "" } = options;
    return `${scheme}://${credentials === "" ? "" : `${credentials}@`}localhost:${this.port}/${query}`;
  }

  /** Resolves when no connection is open. */
  async idle(): Promise<void> {
    while (this.#sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  get context(): { key: Buffer | string; cert: Buffer | string } {
    const { certificate = "localhost", tls } = this.plan;
    if (tls !== undefined) return tls;
    return {
      key: readFileSync(path.join(CERTIFICATES, "key.pem")),
      cert: readFileSync(path.join(CERTIFICATES, `${certificate}.pem`)),
    };
  }

  #converse(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.setNoDelay(true);
    new Talk(this, socket).begin();
  }
}

/** One connection. */
export class Talk {
  readonly peer: SmtpPeer;
  /** Below TLS. */
  readonly plain: Socket;
  socket: Socket;
  /** Recipients that this transaction has. */
  #recipients = 0;
  #said = "";
  #buffer: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #message: Buffer[] | null = null;
  #tail: Buffer = Buffer.alloc(0);
  #secured = false;
  /** Commands since the last message or reset. */
  #commands: string[] = [];
  readonly #hear = (chunk: Buffer): void => this.#heard(chunk);

  constructor(peer: SmtpPeer, socket: Socket) {
    this.peer = peer;
    this.plain = socket;
    this.socket = socket;
  }

  begin(): void {
    if (this.peer.plan.implicitTls) return this.secure(() => this.#greet());
    this.socket.on("data", this.#hear);
    this.#greet();
  }

  write(text: string): void {
    this.#said = text;
    this.socket.write(text);
  }

  /** Takes the connection into TLS. */
  secure(then: () => void = () => undefined): void {
    this.socket.off("data", this.#hear);
    const plain = this.socket;
    const secured = new TLSSocket(plain, {
      isServer: true,
      secureContext: createSecureContext(this.peer.context),
    });
    secured.on("error", () => plain.destroy());
    secured.on("data", this.#hear);
    this.socket = secured;
    this.#secured = true;
    secured.once("secure", then);
  }

  #greet(): void {
    (this.peer.plan.greeting ?? say("220 peer.example ESMTP"))(this, "");
  }

  #heard(chunk: Buffer): void {
    if (!this.#secured) this.peer.clear.push(chunk);
    if (this.#message !== null) return this.#collect(chunk);
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    for (;;) {
      const at = this.#buffer.indexOf(LINE_END);
      if (at === -1) return;
      const line = this.#buffer.subarray(0, at).toString("utf8");
      this.#buffer = this.#buffer.subarray(at + 2);
      this.#commands.push(line);
      this.peer.commands.push(line);
      this.#obey(line);
      if (this.#message !== null) {
        const rest = this.#buffer;
        this.#buffer = Buffer.alloc(0);
        if (rest.length > 0) this.#collect(rest);
        return;
      }
    }
  }

  #obey(line: string): void {
    const verb = (line.split(/[ :]/)[0] ?? "").toUpperCase();
    const act = this.peer.plan.on?.[verb] ?? this.#ordinary(verb);
    this.#said = "";
    act(this, line);
    if (verb === "MAIL" || verb === "RSET") this.#recipients = 0;
    if (verb === "RSET") this.#commands = [];
    if (verb === "RCPT" && this.#said.startsWith("250")) this.#recipients += 1;
  }

  #ordinary(verb: string): Act {
    switch (verb) {
      case "EHLO":
        return () => this.#offer();
      case "STARTTLS":
        return () => {
          this.write("220 2.0.0 go ahead\r\n");
          this.secure();
        };
      case "DATA":
        return () => (this.#recipients === 0 ? this.write("503 5.5.1 for whom?\r\n") : this.take());
      case "QUIT":
        return () => this.socket.end("221 2.0.0 bye\r\n");
      case "MAIL":
      case "RCPT":
      case "RSET":
      case "NOOP":
        return say("250 2.0.0 fine");
      default:
        return say("500 5.5.1 what?");
    }
  }

  #offer(): void {
    const { offers = [], offersSecured = offers } = this.peer.plan;
    const lines = ["peer.example", ...(this.#secured ? offersSecured : offers)];
    this.write(
      lines.map((line, index) => `250${index === lines.length - 1 ? " " : "-"}${line}\r\n`).join(""),
    );
  }

  /** Asks for the message. */
  take(): void {
    this.#message = [];
    // A line end is put before the first line, because an empty message consists of its end only.
    this.#tail = LINE_END;
    this.write("354 go on\r\n");
  }

  #collect(chunk: Buffer): void {
    if (this.#message === null) return;
    if (this.#message.length === 0 && this.peer.plan.data) {
      this.#message.push(chunk);
      return this.peer.plan.data(this, "");
    }
    const window = Buffer.concat([this.#tail, chunk]);
    const at = window.indexOf(MESSAGE_END);
    if (at === -1) {
      this.#message.push(chunk);
      this.#tail = window.subarray(Math.max(0, window.length - MESSAGE_END.length + 1));
      return;
    }
    const end = at + MESSAGE_END.length - this.#tail.length;
    const stuffed = Buffer.concat([LINE_END, ...this.#message, chunk.subarray(0, end)]);
    this.peer.taken.push({ commands: this.#commands, bytes: unstuffed(stuffed) });
    this.#commands = [];
    this.#message = null;
    (this.peer.plan.end ?? say("250 2.0.0 taken as 4711"))(this, "");
    if (end < chunk.length) this.#heard(chunk.subarray(end));
  }
}

/** The message between the added line end and the final dot, with the stuffed dots removed. */
function unstuffed(stuffed: Buffer): Buffer {
  const text = stuffed.subarray(0, stuffed.length - 3).toString("latin1");
  return Buffer.from(text.replaceAll("\r\n.", "\r\n").slice(2), "latin1");
}
