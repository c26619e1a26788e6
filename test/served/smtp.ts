import { connect } from "node:net";
import type { Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { SendMailOptions } from "nodemailer";

const CRLF_DOT = Buffer.from("\r\n.");
/** A reply that takes longer counts as a hang, in ms. */
const REPLY_TIMEOUT_MS = 90_000;

/** Sends with a mail library, as programs do; resolves to the answer to DATA. */
export async function sendMail(port: number, mail: SendMailOptions): Promise<SentMail> {
  const transport = createTransport({ host: "127.0.0.1", port, secure: false, ignoreTLS: true });
  try {
    const { messageId, accepted, rejected, response } = await transport.sendMail(mail);
    return { messageId, accepted: accepted.map(String), rejected: rejected.map(String), response };
  } finally {
    transport.close();
  }
}

export interface SentMail {
  messageId: string;
  accepted: string[];
  rejected: string[];
  response: string;
}

/** An envelope, and the exact bytes of a message that ends with CRLF. */
export interface Transaction {
  from: string;
  to: readonly string[];
  bytes: Uint8Array;
}

/** The answers of one transaction; `data` is null if DATA was not sent, or not answered with 354. */
export interface Replies {
  mail: string;
  rcpt: string[];
  data: string | null;
}

/** An SMTP client that sends exactly the bytes it is given. */
export class SmtpConnection {
  readonly #socket: Socket;
  #received = "";
  #closed = false;
  #wake: () => void = () => {};

  private constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setTimeout(REPLY_TIMEOUT_MS, () => this.#socket.destroy());
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    this.#socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
    // "close" follows, and ends every wait.
    this.#socket.on("error", () => {});
  }

  /** Connects, reads the greeting and sends EHLO; rejects if the server does not greet. */
  static async open(port: number): Promise<SmtpConnection> {
    const connection = new SmtpConnection(port);
    const greeting = await connection.reply();
    const hello = await connection.say("EHLO client.example");
    if (greeting.startsWith("220 ") && hello.startsWith("250")) return connection;
    connection.drop();
    throw new Error(`The server said ${greeting} and ${hello}`);
  }

  /** The next complete reply, its lines joined by "\n"; rejects if the connection closes before it. */
  async reply(): Promise<string> {
    for (;;) {
      const match = /^(?:\d{3}-[^\n]*\n)*\d{3} [^\n]*\n/.exec(this.#received);
      if (match) {
        this.#received = this.#received.slice(match[0].length);
        return match[0].replaceAll("\r", "").trimEnd();
      }
      if (this.#closed) throw new Error("connection closed");
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async say(line: string | Buffer): Promise<string> {
    this.write(line);
    this.write("\r\n");
    return this.reply();
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** One transaction as an MTA does it: it continues with the accepted recipients. */
  async deliver({ from, to, bytes }: Transaction): Promise<Replies> {
    const replies: Replies = { mail: await this.say(`MAIL FROM:<${from}>`), rcpt: [], data: null };
    if (!replies.mail.startsWith("250")) return replies;
    for (const recipient of to) replies.rcpt.push(await this.say(`RCPT TO:<${recipient}>`));
    const goesOn = replies.rcpt.some((reply) => reply.startsWith("250"));
    if (!goesOn || !(await this.say("DATA")).startsWith("354")) {
      await this.say("RSET");
      return replies;
    }
    this.write(stuffed(bytes));
    replies.data = await this.say(".");
    return replies;
  }

  async quit(): Promise<void> {
    await this.say("QUIT");
    this.drop();
  }

  /** Sends what was written, and closes its side without QUIT. */
  finish(): void {
    this.#socket.end();
  }

  /** Closes the connection at once, without QUIT. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Resolves once the server has ended the connection. */
  async closed(): Promise<void> {
    while (!this.#closed) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

/** Opens a connection, does one transaction on it, and sends QUIT. */
export async function deliver(port: number, transaction: Transaction): Promise<Replies> {
  const connection = await SmtpConnection.open(port);
  try {
    return await connection.deliver(transaction);
  } finally {
    connection.drop();
  }
}

/** A dot before every line that begins with one (RFC 5321 §4.5.2). */
export function stuffed(bytes: Uint8Array): Buffer {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (message.length > 0 && !message.subarray(-2).equals(Buffer.from("\r\n"))) {
    throw new Error("SMTP cannot carry a message without a CRLF at its end");
  }
  const pieces: Buffer[] = message[0] === 0x2e ? [Buffer.from(".")] : [];
  let from = 0;
  for (let at = message.indexOf(CRLF_DOT); at !== -1; at = message.indexOf(CRLF_DOT, from)) {
    pieces.push(message.subarray(from, at + CRLF_DOT.length), Buffer.from("."));
    from = at + CRLF_DOT.length;
  }
  return Buffer.concat([...pieces, message.subarray(from)]);
}
