import { connect, type Socket } from "node:net";

const REPLY_TIMEOUT_MS = 120_000;
const CLIENT_ADDRESSES = 4;

/** One SMTP session that sends message after message, waiting for each reply, as a plain sender does. */
export class SmtpConnection {
  readonly #socket: Socket;
  #text = "";
  #waiting: { resolve: (reply: string) => void; reject: (error: Error) => void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.setTimeout(REPLY_TIMEOUT_MS, () => socket.destroy(new Error("SMTP: no reply in time")));
    socket.on("data", (text: string) => this.#take(text));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("SMTP: the connection was closed")));
  }

  /** The listener limits the connections of one client address: each `lane` of four comes from another one. */
  static async open(port: number, lane: number): Promise<SmtpConnection> {
    const localAddress = `127.0.0.${(lane % CLIENT_ADDRESSES) + 1}`;
    const socket = connect({ port, host: "127.0.0.1", localAddress, noDelay: true });
    const session = new SmtpConnection(socket);
    await session.#reply("220");
    await session.#say("EHLO bench.example\r\n", "250");
    return session;
  }

  /** Sends one message; resolves when the server has accepted it. */
  async send(from: string, to: string, message: Buffer): Promise<void> {
    await this.#say(`MAIL FROM:<${from}>\r\n`, "250");
    await this.#say(`RCPT TO:<${to}>\r\n`, "250");
    await this.#say("DATA\r\n", "354");
    this.#socket.cork();
    this.#socket.write(message);
    const taken = this.#say("\r\n.\r\n", "250");
    this.#socket.uncork();
    await taken;
  }

  close(): void {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #say(line: string, expected: string): Promise<void> {
    const replied = this.#reply(expected);
    this.#socket.write(line, "latin1");
    return replied;
  }

  async #reply(expected: string): Promise<void> {
    const reply = await new Promise<string>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    if (!reply.startsWith(expected)) throw new Error(`SMTP: ${reply.trim()} instead of ${expected}`);
  }

  #take(text: string): void {
    this.#text += text;
    // The last line of a reply has a space after its code.
    if (!/^\d{3} [^\n]*\n$/m.test(this.#text)) return;
    const reply = this.#text;
    this.#text = "";
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(reply);
  }
}
