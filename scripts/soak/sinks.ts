import { createHash, createHmac } from "node:crypto";
import http from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { pause } from "./pause.ts";

/**
 * What the sink does with a recipient: the last letter before the `@` decides. `a`: takes the mail. `l`: says "later" the
 * first time. `r`: refuses for good. `n`: takes the mail and ends the connection without an answer. `s`: answers slowly.
 */
export const RECIPIENT_KINDS = "aaaaaaaaaaaaaaaaaalllrnss";
const SLOW_MS = 400;

/** A mail server that takes what the soaked server sends, and notes each recipient. */
export class SmtpSink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #postponed = new Set<string>();
  /** The Message-IDs of the messages that were taken for a recipient. */
  readonly taken = new Map<string, string[]>();

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => this.#sockets.delete(socket));
      this.#converse(socket).catch(() => socket.destroy());
    });
  }

  static async start(): Promise<SmtpSink> {
    const sink = new SmtpSink();
    await new Promise<void>((resolve) => void sink.#server.listen(0, "127.0.0.1", resolve));
    return sink;
  }

  get port(): number {
    return portOf(this.#server);
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #converse(socket: Socket): Promise<void> {
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    const lines = linesOf(socket);
    let recipients: string[] = [];
    say("220 sink.example");
    for await (const line of lines) {
      switch (line.slice(0, 4).toUpperCase()) {
        case "RCPT":
          say(this.#replyTo(line, recipients));
          break;
        case "DATA":
          say("354 go on");
          if (!(await this.#take(recipients, await messageIdIn(lines)))) return void socket.destroy();
          recipients = [];
          say("250 2.0.0 taken");
          break;
        case "QUIT":
          return void socket.end("221 bye\r\n");
        case "MAIL":
        case "RSET":
          recipients = [];
          say("250 2.0.0 fine");
          break;
        default:
          say("250 sink.example");
      }
    }
  }

  /** The reply to RCPT; a recipient that is taken is added to `recipients`. */
  #replyTo(line: string, recipients: string[]): string {
    const recipient = /<([^>]*)>/.exec(line)?.[1] ?? "";
    const kind = kindOf(recipient);
    if (kind === "r") return "550 5.7.1 refused by policy";
    if (kind === "l" && !this.#postponed.has(recipient)) {
      this.#postponed.add(recipient);
      return "451 4.3.0 later";
    }
    recipients.push(recipient);
    return "250 2.1.5 fine";
  }

  /** Notes a message; false if the sender is to get no answer. */
  async #take(recipients: readonly string[], messageId: string): Promise<boolean> {
    for (const recipient of recipients) {
      this.taken.set(recipient, [...(this.taken.get(recipient) ?? []), messageId]);
    }
    if (recipients.some((one) => kindOf(one) === "s")) await pause(SLOW_MS);
    return !recipients.some((one) => kindOf(one) === "n");
  }
}

const kindOf = (recipient: string): string => recipient.slice(0, recipient.indexOf("@")).at(-1) ?? "a";

/** Reads a message to its end; its Message-ID. */
async function messageIdIn(lines: AsyncIterable<string>): Promise<string> {
  let id = "";
  for await (const line of lines) {
    if (line === ".") return id;
    if (id === "") id = /^Message-ID: *(<[^>]*>)/i.exec(line)?.[1] ?? "";
  }
  // The connection ended before the end of the message.
  throw new Error("A message was cut off");
}

/** The lines that arrive; a second loop over it goes on where the first stopped. */
function linesOf(socket: Socket): AsyncIterableIterator<string> {
  async function* read(): AsyncGenerator<string> {
    let rest = "";
    socket.setEncoding("latin1");
    for await (const chunk of socket) {
      const lines = `${rest}${String(chunk)}`.split("\r\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  }
  const lines = read();
  // Without `return`, leaving a loop does not end the generator.
  const shared: AsyncIterableIterator<string> = {
    next: () => lines.next(),
    [Symbol.asyncIterator]: () => shared,
  };
  return shared;
}

/** An event that a webhook brought. */
export interface Hooked {
  seq: number;
  /** `<kind> <email id>`. */
  what: string;
  bodySha256: string;
  attempts: number;
  /** Whether an attempt was answered with 2xx. */
  isTaken: boolean;
}

/** The members of a webhook's body that are compared. */
interface HookBody {
  seq: number;
  event_id: string;
  event: string;
  email_id: string;
}

/** A web server that takes webhooks and notes each event. It fails the first attempt of some, in three ways. */
export class WebhookSink {
  readonly #secret: string;
  readonly #wrong: (fault: string) => void;
  readonly #server = http.createServer((request, response) => void this.#take(request, response));
  /** By path, then by `webhook-id`. */
  readonly taken = new Map<string, Map<string, Hooked>>();

  private constructor(secret: string, wrong: (fault: string) => void) {
    this.#secret = secret;
    this.#wrong = wrong;
  }

  /** @param wrong is told of requests that no webhook may be. */
  static async start(secret: string, wrong: (fault: string) => void): Promise<WebhookSink> {
    const sink = new WebhookSink(secret, wrong);
    await new Promise<void>((resolve) => void sink.#server.listen(0, "127.0.0.1", resolve));
    return sink;
  }

  url(path: string): string {
    return `http://127.0.0.1:${portOf(this.#server)}${path}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      // The server was killed while it sent this.
      return;
    }
    const body = Buffer.concat(chunks);
    const { url = "", headers } = request;
    const signature = `sha256=${createHmac("sha256", this.#secret).update(body).digest("hex")}`;
    if (headers["x-webhook-signature"] !== signature)
      this.#wrong(`a webhook to ${url} has a wrong signature`);
    const hooked = this.#note(url, String(headers["webhook-id"]), body);
    hooked.attempts += 1;
    if (hooked.attempts === 1 && hooked.seq % 5 === 0) return void response.writeHead(503).end();
    if (hooked.attempts === 1 && hooked.seq % 11 === 0) return void response.socket?.resetAndDestroy();
    if (hooked.seq % 7 === 0) await pause(SLOW_MS);
    hooked.isTaken = true;
    response.writeHead(204).end();
  }

  #note(path: string, id: string, body: Buffer): Hooked {
    const events = this.taken.get(path) ?? new Map<string, Hooked>();
    this.taken.set(path, events);
    const bodySha256 = createHash("sha256").update(body).digest("hex");
    const { seq, event_id, event, email_id }: HookBody = JSON.parse(body.toString());
    if (event_id !== id) this.#wrong(`a webhook to ${path} has the id ${id}, and its body ${event_id}`);
    const known = events.get(id) ?? {
      seq,
      what: `${event} ${email_id}`,
      bodySha256,
      attempts: 0,
      isTaken: false,
    };
    events.set(id, known);
    if (known.bodySha256 !== bodySha256) this.#wrong(`the webhook ${id} was repeated with another body`);
    return known;
  }
}

const portOf = (server: Server | http.Server): number => {
  const address = server.address() as AddressInfo | null;
  return address?.port ?? 0;
};
