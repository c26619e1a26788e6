import http from "node:http";
import type { AddressInfo } from "node:net";

/** One message as the store was handed it. */
export interface Handed {
  query: URLSearchParams;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** A stand-in for the worker behind the SMTP listener: says what the test tells it to, and keeps what it is handed. */
export class FakeStore {
  readonly handed: Handed[] = [];
  /** Status of the look-up by address; 200 if not named. */
  readonly lookUps = new Map<string, number>();
  /** Bodies of the look-up by address; an empty object if not named. */
  readonly boxes = new Map<string, string>();
  /** Statuses of the next hand-overs by recipient, then 202 again. */
  readonly refusals = new Map<string, number[]>();
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer((req, res) => void this.#answer(req, res));
  }

  static async start(): Promise<FakeStore> {
    const store = new FakeStore();
    await new Promise<void>((resolve) => void store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Drops every idle connection, as workerd does after 5 s. */
  dropIdle(): void {
    this.#server.closeIdleConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  async #answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const url = new URL(req.url ?? "/", "http://store");
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    if (req.headers.authorization !== "Bearer operator-key") return void res.writeHead(401).end();
    if (req.method === "GET") {
      const address = decodeURIComponent(url.pathname.replace("/v1/mailboxes/", ""));
      return void res.writeHead(this.lookUps.get(address) ?? 200).end(this.boxes.get(address) ?? "{}");
    }
    const status = this.refusals.get(url.searchParams.get("to") ?? "")?.shift() ?? 202;
    // 0: the connection dies without an answer.
    if (status === 0) return void req.socket.destroy();
    if (status === 202) {
      this.handed.push({ query: url.searchParams, headers: req.headers, bytes: Buffer.concat(chunks) });
    }
    res.writeHead(status, { "Content-Type": "application/json" });
    res.end(JSON.stringify({ id: `id-${this.handed.length}`, duplicate: false }));
  }
}
