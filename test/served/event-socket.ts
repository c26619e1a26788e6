import { connect } from "node:net";
import type { Socket } from "node:net";

/** One frame of a stream: the values of its fields, and the order of their names. */
export interface Frame {
  id: number;
  event: string;
  data: Record<string, unknown>;
  fields: string[];
}

/** A stream of `GET /v1/events` over a bare socket: what arrived, byte for byte, and when. */
export class EventSocket {
  readonly #socket: Socket;
  /** Received bytes that are not parsed yet. */
  #pending = Buffer.alloc(0);
  #body: Buffer[] = [];
  /** The beginning of a block of the body. */
  #block = "";
  readonly #decoder = new TextDecoder();
  #wake: () => void = () => {};
  readonly openedMs = performance.now();
  /** Status line and headers. */
  head = "";
  /** Complete events, in order. */
  readonly frames: Frame[] = [];
  /** Whether the body ended with its last chunk, and was not broken off. */
  isWhole = false;
  /** When the headers had arrived, by `performance.now()`. */
  headMs: number | null = null;
  closedMs: number | null = null;
  /** Arrival times of the chunks, by `performance.now()`. */
  readonly chunkMs: number[] = [];

  constructor(url: string, path: string, headers: Record<string, string>) {
    const { hostname, port, host } = new URL(url);
    const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    this.#socket.on("data", (chunk: Buffer) => {
      this.chunkMs.push(performance.now());
      this.#pending = Buffer.concat([this.#pending, chunk]);
      this.#takeHead();
      while (this.headMs !== null && this.#takeChunk());
      this.#wake();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.closedMs = performance.now();
      this.#wake();
    });
  }

  static listen(
    url: string,
    key: string,
    options: { query?: string; lastEventId?: number } = {},
  ): EventSocket {
    return new EventSocket(url, `/v1/events${options.query ?? ""}`, {
      Authorization: `Bearer ${key}`,
      ...(options.lastEventId === undefined ? {} : { "Last-Event-ID": String(options.lastEventId) }),
    });
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.head)?.[1] ?? 0);
  }

  /** The body that arrived so far, without its chunk frames. */
  get text(): string {
    return Buffer.concat(this.#body).toString("utf8");
  }

  /** Resolves when `condition()` is true; checked whenever data arrives. Rejects after `timeoutMs`. */
  async until(condition: () => boolean, timeoutMs = 90_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!condition()) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0)
        throw new Error(`Not in ${timeoutMs} ms; there is: ${this.head}\n${this.text.slice(-500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  answered(): Promise<void> {
    return this.until(() => this.headMs !== null || this.closedMs !== null);
  }

  closed(timeoutMs = 30_000): Promise<void> {
    return this.until(() => this.closedMs !== null || this.isWhole, timeoutMs);
  }

  /** Stops reading, so that the server's data piles up once the socket buffers are full. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes the connection. */
  drop(): void {
    this.#socket.destroy();
  }

  #takeHead(): void {
    const end = this.#pending.indexOf("\r\n\r\n");
    if (this.headMs !== null || end < 0) return;
    this.headMs = performance.now();
    this.head = this.#pending.subarray(0, end).toString("latin1");
    this.#pending = this.#pending.subarray(end + 4);
  }

  /** Parses the next chunk of the body (RFC 9112 §7.1); false if it is not complete yet. */
  #takeChunk(): boolean {
    const line = this.#pending.indexOf("\r\n");
    if (line < 0) return false;
    const size = Number.parseInt(this.#pending.subarray(0, line).toString("latin1"), 16);
    const start = line + 2;
    if (this.#pending.length < start + size + 2) return false;
    const bytes = this.#pending.subarray(start, start + size);
    this.#pending = this.#pending.subarray(start + size + 2);
    this.isWhole = size === 0;
    this.#body.push(bytes);
    const blocks = (this.#block + this.#decoder.decode(bytes, { stream: true })).split("\n\n");
    this.#block = blocks.pop() ?? "";
    this.frames.push(...blocks.filter((block) => block.startsWith("id:")).map(frameOf));
    return true;
  }
}

function frameOf(block: string): Frame {
  const lines = block.split("\n").map((line) => /^(\w+): (.*)$/s.exec(line));
  const value = (name: string): string => lines.find((line) => line?.[1] === name)?.[2] ?? "";
  return {
    id: Number(value("id")),
    event: value("event"),
    data: JSON.parse(value("data")) as Record<string, unknown>,
    fields: lines.map((line) => line?.[1] ?? ""),
  };
}
