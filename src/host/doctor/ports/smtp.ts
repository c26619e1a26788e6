import type { Socket } from "node:net";
import { secure, type Secured } from "./tls.ts";

/** A reply of an SMTP server. */
export interface Reply {
  code: number;
  /** Its lines without their codes. */
  lines: string[];
}

/** The most bytes of a reply; honest ones have less than 4 KB. */
const MAX_REPLY_BYTES = 65_536;
const WHOLE_REPLY = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/;

/** The server ended the session, or sent something that is not SMTP. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";
}

/** The client's side of an SMTP session. */
export class SmtpTalk {
  #socket: Socket;
  readonly #signal: AbortSignal;
  #received = "";
  #ended = false;
  #wake: () => void = () => {};
  readonly #hear = (chunk: Buffer): void => {
    this.#received += chunk.toString("latin1");
    this.#wake();
  };
  readonly #end = (): void => {
    this.#ended = true;
    this.#wake();
  };

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    signal.addEventListener("abort", this.#end, { once: true });
    this.#listen();
  }

  #listen(): void {
    this.#socket.on("data", this.#hear);
    this.#socket.once("close", this.#end);
  }

  /** The next reply. Rejects with {@link SessionEnded}. */
  async reply(): Promise<Reply> {
    for (;;) {
      const [whole] = WHOLE_REPLY.exec(this.#received) ?? [];
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length);
        const lines = whole.trimEnd().split(/\r?\n/);
        return { code: Number(whole.slice(0, 3)), lines: lines.map((line) => line.slice(4)) };
      }
      if (this.#received.length > MAX_REPLY_BYTES || this.#isForeign()) {
        throw new SessionEnded("it does not speak SMTP");
      }
      if (this.#ended) {
        throw new SessionEnded(this.#signal.aborted ? "no reply in time" : "it ended the session");
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Whether the first bytes are not the beginning of a reply. */
  #isForeign(): boolean {
    return !/^(?:\d{0,3}$|\d{3}[\r\n -])/.test(this.#received);
  }

  /** Sends one command line and reads the reply. */
  say(line: string): Promise<Reply> {
    this.#socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** Begins TLS after a positive reply to STARTTLS, or at once. Anything that the server sent before is discarded (RFC 3207 §4.2). */
  async secure(host: string, authorities: readonly string[]): Promise<Secured> {
    this.#socket.off("data", this.#hear);
    this.#socket.off("close", this.#end);
    this.#received = "";
    const secured = await secure(this.#socket, host, authorities, this.#signal);
    this.#socket = secured.socket;
    this.#listen();
    return secured;
  }

  /** Sends QUIT and ends the connection. */
  close(): void {
    this.#socket.write("QUIT\r\n", () => this.#socket.destroy());
    this.#socket.destroySoon();
  }
}

/** A reply as one text: its code and its words. */
export function replyText({ code, lines }: Reply): string {
  return `${code} ${lines.join(" ")}`;
}

/** Whether EHLO offers an extension; the words after its keyword, or null. */
export function offerOf({ lines }: Reply, keyword: string): string[] | null {
  const found = lines.slice(1).find((line) => line.split(/[ =]/)[0]?.toUpperCase() === keyword);
  return found === undefined ? null : found.toUpperCase().split(/[ =]/).slice(1);
}
