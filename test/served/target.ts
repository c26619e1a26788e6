import http from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One request as it arrived. */
export interface Received {
  path: string;
  method: string;
  /** Lower-case names; repeats joined. */
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** When its last byte arrived, by `performance.now()`. */
  atMs: number;
  /** When it was answered, or closed by its sender; null while it is under way. */
  endedMs: number | null;
}

/** How a target answers a request that it has read completely. */
export type Behaviour = (response: http.ServerResponse, received: Received) => void;

export const answer =
  (status: number, body = "ok", headers: http.OutgoingHttpHeaders = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Never answers. */
export const hang: Behaviour = () => {};

/** Resets the connection. */
export const cut: Behaviour = (response) => void response.socket?.resetAndDestroy();

/** Begins an answer and then sends a header every 500 ms, endlessly. */
export const drip: Behaviour = (response) => {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket?.write("X-Drip: drop\r\n"), 500);
  socket?.once("close", () => clearInterval(timer));
};

/** Answers 200 with that many bytes of `x`, as fast as the client reads. */
export const flood =
  (bytes: number): Behaviour =>
  (response) => {
    response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": bytes });
    const chunk = Buffer.alloc(65_536, "x");
    let left = bytes;
    const pour = (): void => {
      while (left > 0 && !response.destroyed) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!response.write(part)) return void response.once("drain", pour);
      }
      if (left === 0) response.end();
    };
    pour();
  };

/** A real HTTP server on loopback that behaves as planned for each path, and records every request. */
export class Target {
  readonly received: Received[] = [];
  /** TCP connections opened so far. */
  connections = 0;
  readonly #server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0 });
  readonly #plans = new Map<string, Behaviour[]>();
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  private constructor() {
    this.#server.on("connection", (socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("request", (request, response) => void this.#take(request, response));
  }

  /** Starts on a free port, unless one is given. */
  static async start(port = 0): Promise<Target> {
    const target = new Target();
    await new Promise<void>((resolve) => void target.#server.listen(port, "127.0.0.1", resolve));
    return target;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = "/"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The first request of `path` gets the first behaviour, and so on; the last one repeats. Without a plan, the answer is 200. */
  plan(path: string, ...behaviours: Behaviour[]): string {
    this.#plans.set(path, behaviours);
    return this.url(path);
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  /** Resolves to the requests of `path` when there are `count`; rejects after `timeoutMs`. */
  async heard(path: string, count: number, timeoutMs = 30_000): Promise<Received[]> {
    await this.until(() => this.at(path).length >= count, `${count} requests at ${path}`, timeoutMs);
    return this.at(path);
  }

  /** Resolves when `condition()` is true; checked whenever a request arrives or ends. */
  async until(condition: () => boolean, what: string, timeoutMs = 30_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!condition()) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`Not in ${timeoutMs} ms: ${what}; there are ${this.received.length}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      // The sender died during the request, so it does not count.
      return;
    }
    const { url: path = "", method = "", headers } = request;
    const before = this.at(path).length;
    const received: Received = {
      path,
      method,
      headers,
      body: Buffer.concat(chunks),
      atMs: performance.now(),
      endedMs: null,
    };
    this.received.push(received);
    response.once("close", () => {
      received.endedMs = performance.now();
      this.#wake();
    });
    this.#wake();
    const plan = this.#plans.get(path) ?? [answer(200)];
    plan[Math.min(before, plan.length - 1)]?.(response, received);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
