import path from "node:path";
import { Worker } from "node:worker_threads";

/** A message that arrived completely; times as `nowMs`. */
export interface Arrival {
  bytes: number;
  firstMs: number;
  atMs: number;
}

export type SinkNews =
  | { kind: "port"; port: number }
  | { kind: "connection" }
  | { kind: "begun" }
  | ({ kind: "message" } & Arrival);
export type SinkOrder = "hold" | "release";

/** Milliseconds since 1970, finer than whole ones, and the same in every thread. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** A relay that accepts every message, in a thread of its own, so that it works while the bench does something else. */
export class Sink {
  readonly #thread = new Worker(path.join(import.meta.dirname, "sink-thread.ts"));
  readonly arrivals: Arrival[] = [];
  /** Messages whose first byte has arrived. */
  begun = 0;
  connections = 0;
  port = 0;
  #heard = Promise.withResolvers<void>();

  static async open(): Promise<Sink> {
    const sink = new Sink();
    sink.#thread.on("message", (news: SinkNews) => sink.#hear(news));
    await sink.until(() => sink.port !== 0);
    return sink;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}?ignoreTLS=true`;
  }

  order(order: SinkOrder): void {
    this.#thread.postMessage(order);
  }

  /** Resolves when `holds` after news. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#heard.promise;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #hear(news: SinkNews): void {
    if (news.kind === "port") this.port = news.port;
    if (news.kind === "connection") this.connections += 1;
    if (news.kind === "begun") this.begun += 1;
    if (news.kind === "message") this.arrivals.push(news);
    this.#heard.resolve();
    this.#heard = Promise.withResolvers<void>();
  }
}
