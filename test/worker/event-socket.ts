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
  /** All that came: head and chunked body. */
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};
  readonly openedMs = performance.now();
  /** When the head was there. */
  headMs: number | null = null;
  closedMs: number | null = null;
  /** Arrivals, by `performance.now()`. */
  readonly chunkMs: number[] = [];

  constructor(url: string, path: string, headers: Record<string, string>) {
    const { hostname, port, host } = new URL(url);
    const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.chunkMs.push(performance.now());
      if (this.#headEnd >= 0) this.headMs ??= performance.now();
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

  get head(): string {
    return this.#headEnd < 0 ? "" : this.#received.subarray(0, this.#headEnd).toString("latin1");
  }

  /** The body that arrived so far, without its chunk frames. */
  get text(): string {
    const parts: Buffer[] = [];
    for (let at = this.#headEnd + 4; this.#headEnd >= 0 && at < this.#received.length;) {
      const line = this.#received.indexOf("\r\n", at);
      if (line < 0) break;
      const size = Number.parseInt(this.#received.subarray(at, line).toString("latin1"), 16);
      parts.push(this.#received.subarray(line + 2, line + 2 + size));
      at = line + 2 + size + 2;
    }
    return Buffer.concat(parts).toString("utf8");
  }

  /** Whole events, in order. */
  get frames(): Frame[] {
    const blocks = this.text.split("\n\n").slice(0, -1);
    return blocks.filter((block) => block.startsWith("id:")).map(frameOf);
  }

  /** Whether the body ended as HTTP ends it, and was not broken off. */
  get isWhole(): boolean {
    return this.#received.subarray(-5).toString("latin1") === "0\r\n\r\n";
  }

  /** Resolves when `condition` is met, asked again whenever something arrives; rejects when that takes too long. */
  async until(condition: () => boolean, timeoutMs = 30_000): Promise<void> {
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

  /** Reads nothing any more; what the system's buffers do not hold stays with the server. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Hangs up. */
  drop(): void {
    this.#socket.destroy();
  }

  get #headEnd(): number {
    return this.#received.indexOf("\r\n\r\n");
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
