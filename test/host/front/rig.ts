import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { startFront, type Front, type FrontOptions } from "../../../src/host/front/front.ts";
import { Networks } from "../../../src/host/front/networks.ts";

const CERTIFICATES = path.resolve(import.meta.dirname, "../../transport/certificates");

/** A file of the test certificates: those of `localhost` and `other.example` have the same key. */
export const pem = (name: string): string => readFileSync(path.join(CERTIFICATES, `${name}.pem`), "utf8");
/** The certificate of `localhost` with its key. */
export const PAIR = { cert: pem("localhost"), key: pem("key") };
export const SECRET = "5".repeat(32);
export const LOOPBACK = new Networks(["127.0.0.0/8"]);

/** A front and what it leads to. */
export interface Rig {
  front: Front;
  /** Answers requests that came through the front; a test sets its own. */
  answer: http.RequestListener;
  /** Lines that the front logged. */
  lines: string[];
  stop(): Promise<void>;
}

/** A front before an HTTP server of the test. */
export async function startRig(options: Partial<FrontOptions> = {}): Promise<Rig> {
  const runtime = http.createServer((request, response) => rig.answer(request, response));
  await once(runtime.listen(0, "127.0.0.1"), "listening");
  const lines: string[] = [];
  const front = await startFront({
    listen: { host: "127.0.0.1", port: 0 },
    upstreamPort: (runtime.address() as AddressInfo).port,
    secret: SECRET,
    tls: null,
    proxies: null,
    trustClientAddress: false,
    log: (line) => lines.push(line),
    ...options,
  });
  const rig: Rig = {
    front,
    lines,
    answer: echo,
    async stop() {
      await front.drain(0);
      runtime.closeAllConnections();
      runtime.close();
      await once(runtime, "close");
    },
  };
  return rig;
}

/** Answers with what the request was: target, header fields and body. */
export const echo: http.RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("latin1");
    response.setHeader("Content-Type", "application/json");
    response.end(
      JSON.stringify({ url: request.url, raw: request.rawHeaders, headers: request.headers, body }),
    );
  });
};

/** A connection whose bytes are heard as text. */
export class Wire {
  readonly socket: Socket;
  text = "";
  isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.text += chunk.toString("latin1");
      this.#wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  static plain(port: number): Wire {
    return new Wire(connect({ port, host: "127.0.0.1", noDelay: true }));
  }

  static tls(port: number, options: ConnectionOptions = {}): Wire {
    const trusted = { ca: pem("authority"), servername: "localhost", ...options };
    return new Wire(connectTls({ port, host: "127.0.0.1", ...trusted }));
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Waits until the text that came matches. */
  async heard(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.isClosed) throw new Error(`closed after ${JSON.stringify(this.text)}`);
      await this.#more();
    }
    return this.text;
  }

  /** Waits for the end of the connection, and returns everything that came. */
  async closed(): Promise<string> {
    while (!this.isClosed) await this.#more();
    return this.text;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
