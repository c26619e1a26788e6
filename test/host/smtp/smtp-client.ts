import { connect } from "node:net";
import type { Socket } from "node:net";

/** A client that sends exactly the bytes it is given. */
export class SmtpClient {
  readonly #socket: Socket;
  #received = "";
  #closed = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
    socket.on("error", () => {});
  }

  /** Connects from an address of this machine, and waits for nothing. */
  static connect(port: number, from = "127.0.0.1"): SmtpClient {
    return new SmtpClient(connect({ port, host: "127.0.0.1", localAddress: from }));
  }

  /** Connects, reads the greeting and says EHLO. */
  static async open(port: number, name = "client.example", from = "127.0.0.1"): Promise<SmtpClient> {
    const client = SmtpClient.connect(port, from);
    await client.reply();
    await client.say(`EHLO ${name}`);
    return client;
  }

  /** The next whole reply, its lines joined by "\n"; rejects when the connection closes before it. */
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

  async say(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** MAIL, RCPT for each recipient, DATA; returns the reply to DATA's end. `payload` must be stuffed already. */
  async deliver(recipients: readonly string[], payload: string | Buffer): Promise<string> {
    await this.say("MAIL FROM:<sender@example.com>");
    for (const recipient of recipients) await this.say(`RCPT TO:<${recipient}>`);
    await this.say("DATA");
    this.write(payload);
    this.write("\r\n.\r\n");
    return this.reply();
  }

  /** Ends without a goodbye. */
  drop(): void {
    this.#socket.destroy();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** True once the server has ended the connection. */
  async closed(): Promise<boolean> {
    while (!this.#closed) await new Promise<void>((resolve) => (this.#wake = resolve));
    return true;
  }
}
