import { connect, type Socket } from "node:net";

const OK = Buffer.from("HTTP/1.1 200");
const ID = Buffer.from("id: ");
/** All listeners read into one buffer, because each chunk is parsed before the next one is read. */
const SHARED = Buffer.allocUnsafe(65_536);

export interface ListenerOptions {
  port: number;
  path: string;
  key: string;
  /** The stream begins after this entry of the log; without it, from now on. */
  lastEventId?: number;
}

/**
 * One open stream over a bare socket: it looks for the newest `id:` of what arrives, and does nothing
 * else, because it shares the machine with what it measures.
 */
export class Listener {
  readonly #socket: Socket;
  /** Bytes received on a stream that was answered with 200. */
  bytes = 0;
  /** Number of the newest event that began to arrive, and when. */
  newest = 0;
  newestMs = 0;
  #heard: () => void = () => {};

  private constructor(options: ListenerOptions, opened: (error?: Error) => void) {
    this.#socket = connect({
      port: options.port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: SHARED,
        callback: (length, buffer) => {
          const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length);
          if (this.bytes === 0) opened(chunk.indexOf(OK) === 0 ? undefined : new Error(chunk.toString()));
          this.#take(chunk);
          return true;
        },
      },
    });
    this.#socket.on("error", opened);
    const resume = options.lastEventId === undefined ? "" : `Last-Event-ID: ${options.lastEventId}\r\n`;
    this.#socket.write(
      `GET ${options.path} HTTP/1.1\r\nHost: 127.0.0.1:${options.port}\r\nAuthorization: Bearer ${options.key}\r\n${resume}\r\n`,
    );
  }

  /** Resolves when the stream has begun. */
  static open(options: ListenerOptions): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const listener = new Listener(options, (error) =>
        error === undefined ? resolve(listener) : reject(error),
      );
    });
  }

  /** Resolves to the time at which event `seq`, or a later one, began to arrive. */
  async heard(seq: number): Promise<number> {
    while (this.newest < seq) await new Promise<void>((resolve) => (this.#heard = resolve));
    return this.newestMs;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.bytes += chunk.length;
    const at = chunk.lastIndexOf(ID);
    // A number that is cut at the end of a chunk is ignored; the next event has a higher one.
    const end = at < 0 ? -1 : chunk.indexOf(10, at);
    if (end < 0) return;
    this.newest = Number(chunk.toString("latin1", at + ID.length, end));
    this.newestMs = performance.now();
    this.#heard();
  }
}
