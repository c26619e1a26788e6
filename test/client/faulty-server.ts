import http from "node:http";
import type { AddressInfo } from "node:net";

/** A request that came. */
export interface Seen {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** The fate of one request. */
export type Fault =
  | { kind: "answer"; status: number; headers?: Record<string, string>; body: string }
  /** The connection ends without an answer. */
  | { kind: "drop" }
  /** The answer ends in the middle of its body. */
  | { kind: "cut"; body: string }
  /** No answer comes. */
  | { kind: "silence" };

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Fault => ({
  kind: "answer",
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** A server on loopback that answers as told. */
export class FaultyServer {
  readonly seen: Seen[] = [];
  readonly #server: http.Server;
  #next: (seen: Seen) => Fault = () => ({ kind: "drop" });

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url: path = "", headers } = request;
        const seen = { method, path, headers, body: Buffer.concat(chunks).toString("utf8") };
        this.seen.push(seen);
        answer(response, this.#next(seen));
      });
    });
  }

  static async start(): Promise<FaultyServer> {
    const faulty = new FaultyServer();
    await new Promise<void>((resolve) => faulty.#server.listen(0, "127.0.0.1", resolve));
    return faulty;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the next requests with `faults`, in their order, and then with the last of them. */
  orders(...faults: Fault[]): void {
    this.seen.length = 0;
    const rest = [...faults];
    this.#next = () => (rest.length > 1 ? rest.shift() : rest[0]) ?? { kind: "drop" };
  }

  /** Lets a function answer. */
  answers(next: (seen: Seen) => Fault): void {
    this.seen.length = 0;
    this.#next = next;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function answer(response: http.ServerResponse, fault: Fault): void {
  if (fault.kind === "silence") return;
  if (fault.kind === "drop") {
    response.socket?.destroy();
    return;
  }
  if (fault.kind === "answer") {
    response.writeHead(fault.status, fault.headers).end(fault.body);
    return;
  }
  response.writeHead(200, {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(fault.body) + 100),
  });
  response.write(fault.body, () => response.socket?.destroy());
}
