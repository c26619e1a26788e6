import { Duplex } from "node:stream";

/** Opens a TCP connection; `connect` of `cloudflare:sockets` and bindings to a network have this type. */
export type Connect = (address: SocketAddress, options: SocketOptions) => Socket;

/** When a connection is encrypted: from its first byte, after STARTTLS, or never. */
export type Security = NonNullable<SocketOptions["secureTransport"]>;

type Callback = (error?: Error | null) => void;

/**
 * A TCP connection of the runtime as a Node stream. workerd's `node:net` offers the same, but through the service that
 * handles every `fetch`: under `npm start` that is a worker, and TLS does not work through a worker.
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

  /** Resolves when connected, and encrypted if `security` is `on`. Rejects if that fails, or with the reason of `signal`. */
  static async open(
    connect: Connect,
    address: SocketAddress,
    security: Security,
    signal: AbortSignal,
  ): Promise<RelaySocket> {
    signal.throwIfAborted();
    const socket = new RelaySocket(connect(address, { secureTransport: security, allowHalfOpen: false }));
    // An error may occur before anybody listens.
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

  /** Encrypts the connection; a failed handshake is reported by the next read or write. */
  secure(): void {
    this.#reader.releaseLock();
    this.#writer.releaseLock();
    this.#socket = this.#socket.startTls();
    [this.#reader, this.#writer] = endsOf(this.#socket);
    // The pending read belongs to the unencrypted stream.
    if (this.#reading) this.#readNext(this.#reader);
  }

  /** nodemailer sets an idle limit here; it has no effect, because an attempt has its own limit. */
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
    // Closing fails if the connection is already closed.
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

/** Smaller pieces may share a buffer with other data. */
const MIN_RELEASED_BYTES = 16_384;

/**
 * Frees a piece of a message after it was sent: each reader gets new pieces, so nobody else uses it. Until garbage
 * collection, a large message would otherwise occupy tens of megabytes.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  const isWhole = byteLength === buffer.byteLength && byteLength >= MIN_RELEASED_BYTES;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

type Ends = [ReadableStreamDefaultReader<Uint8Array>, WritableStreamDefaultWriter<Uint8Array>];

function endsOf(socket: Socket): Ends {
  const reader: ReadableStreamDefaultReader<Uint8Array> = socket.readable.getReader();
  const writer: WritableStreamDefaultWriter<Uint8Array> = socket.writable.getWriter();
  // Reads and writes report the same errors.
  for (const closed of [socket.closed, reader.closed, writer.closed]) closed.catch(() => undefined);
  return [reader, writer];
}
