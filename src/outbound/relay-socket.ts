import { Duplex } from "node:stream";

/** Opens a TCP connection, as `connect` of `cloudflare:sockets` and as a binding to a network does. */
export type Connect = (address: SocketAddress, options: SocketOptions) => Socket;

/** When a connection is encrypted: from its first byte, when asked to, or never. */
export type Security = NonNullable<SocketOptions["secureTransport"]>;

type Callback = (error?: Error | null) => void;

/**
 * A TCP connection of the runtime as a Node stream. workerd's `node:net` can do this too, but only by the way out that every
 * `fetch` takes: under `npm start` a worker stands there, and through a worker there is no TLS.
 */
export class RelaySocket extends Duplex {
  #socket: Socket;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #writer: WritableStreamDefaultWriter<Uint8Array>;
  #reading = false;

  private constructor(socket: Socket) {
    super();
    this.#socket = socket;
    [this.#reader, this.#writer] = endsOf(socket);
  }

  /** Resolves when connected, encrypted too where `security` is `on`. Rejects when that fails, or with the reason of `signal`. */
  static async open(
    connect: Connect,
    address: SocketAddress,
    security: Security,
    signal: AbortSignal,
  ): Promise<RelaySocket> {
    signal.throwIfAborted();
    const socket = new RelaySocket(connect(address, { secureTransport: security, allowHalfOpen: false }));
    // Its first error may come before anybody listens.
    socket.on("error", () => undefined);
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => undefined);
    const giveUp = (): void => aborted.reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await Promise.race([socket.#socket.opened, aborted.promise]);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Goes on encrypted; a handshake that fails is an error of the next read or write. */
  secure(): void {
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    this.#socket = this.#socket.startTls();
    [this.#reader, this.#writer] = endsOf(this.#socket);
    // The read that was under way was of the stream in clear.
    if (this.#reading) this.#readNext(this.#reader);
  }

  /** For nodemailer, which sets an idle limit: an attempt has a limit of its own. */
  setTimeout(): this {
    return this;
  }

  override _read(): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#readNext(this.#reader);
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: Callback): void {
    this.#writer.write(chunk).then(() => {
      release(chunk);
      callback();
    }, callback);
  }

  override _writev(chunks: { chunk: Uint8Array }[], callback: Callback): void {
    const whole = Buffer.concat(chunks.map(({ chunk }) => chunk));
    for (const { chunk } of chunks) release(chunk);
    this.#writer.write(whole).then(() => {
      release(whole);
      callback();
    }, callback);
  }

  override _final(callback: Callback): void {
    this.#writer.close().then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: Callback): void {
    // It fails where the connection already has.
    this.#socket.close().catch(() => undefined);
    callback(error);
  }

  #readNext(reader: ReadableStreamDefaultReader<Uint8Array>): void {
    reader.read().then(
      ({ done, value }) => {
        if (reader !== this.#reader) return;
        this.#reading = false;
        this.push(done ? null : value);
      },
      (error: unknown) => {
        if (reader !== this.#reader) return;
        this.destroy(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }
}

/** Smaller ones may be part of a buffer that others use as well. */
const MIN_RELEASED_BYTES = 16_384;

/**
 * Frees a piece of a message that is out of our hands: pieces are made anew for whoever reads a message, so nobody else has
 * it. Left to the collector, a large message would leave tens of megabytes behind before it looks.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  const isWhole = byteLength === buffer.byteLength && byteLength >= MIN_RELEASED_BYTES;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

type Ends = [ReadableStreamDefaultReader<Uint8Array>, WritableStreamDefaultWriter<Uint8Array>];

function endsOf(socket: Socket): Ends {
  const reader: ReadableStreamDefaultReader<Uint8Array> = socket.readable.getReader();
  const writer: WritableStreamDefaultWriter<Uint8Array> = socket.writable.getWriter();
  // What they have to say is also said by the reads and writes.
  for (const closed of [socket.closed, reader.closed, writer.closed]) closed.catch(() => undefined);
  return [reader, writer];
}
