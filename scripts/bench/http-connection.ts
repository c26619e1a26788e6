import { connect, type Socket } from "node:net";

/** An answer; its body is only counted unless it was requested. */
export interface HttpAnswer {
  status: number;
  bodyBytes: number;
  body: Buffer;
}

interface Pending {
  resolve: (answer: HttpAnswer) => void;
  reject: (error: Error) => void;
}

const HEAD_END = "\r\n\r\n";
const REQUEST_TIMEOUT_MS = 60_000;
/** workerd closes a connection that was idle for 5 s, so a new one is opened earlier, in ms. */
const IDLE_MS = 4_000;

/** The server closed a reused connection before it answered. */
class StaleConnection extends Error {}

/** One HTTP/1.1 connection with one request at a time: a client that needs little CPU compared with the server. */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | null = null;
  #pending: Pending | null = null;
  #received: Buffer[] = [];
  #usedAtMs = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Opens the connection if it is closed or idle for too long. */
  async open(): Promise<void> {
    const idle = performance.now() - this.#usedAtMs > IDLE_MS;
    if (this.#socket !== null && !idle) return;
    this.close();
    this.#socket = await this.#connect();
    this.#usedAtMs = performance.now();
  }

  /** Sends a request, whose head ends with an empty line. Repeats it once if the server had closed the connection. */
  async request(head: string, body?: Buffer): Promise<HttpAnswer> {
    await this.open();
    try {
      return await this.#exchange(head, body);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      await this.open();
      return this.#exchange(head, body);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        socket.on("error", () => this.#lost(socket));
        socket.on("close", () => this.#lost(socket));
        socket.on("data", (chunk) => this.#take(chunk));
        socket.setTimeout(REQUEST_TIMEOUT_MS, () => socket.destroy());
        resolve(socket);
      });
    });
  }

  #exchange(head: string, body?: Buffer): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      if (socket === null) return reject(new StaleConnection());
      this.#pending = { resolve, reject };
      this.#received = [];
      if (body !== undefined && body.length > 0) {
        socket.cork();
        socket.write(head, "latin1");
        socket.write(body);
        socket.uncork();
      } else {
        socket.write(head, "latin1");
      }
    });
  }

  #lost(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    const pending = this.#pending;
    this.#pending = null;
    const some = this.#received.length > 0;
    pending?.reject(some ? new Error("the connection broke within an answer") : new StaleConnection());
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    const answer = readAnswer(bytes);
    if (answer === null) {
      this.#received = [bytes];
      return;
    }
    const pending = this.#pending;
    this.#pending = null;
    this.#usedAtMs = performance.now();
    pending?.resolve(answer);
  }
}

/** Parses an answer; null while it is not complete. */
function readAnswer(bytes: Buffer): HttpAnswer | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(head.slice(9, 12));
  const start = headEnd + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? null : { status, bodyBytes: end - start, body: bytes.subarray(start, end) };
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error(`an answer without a length:\n${head}`);
  const chunks = readChunks(bytes, start);
  if (chunks === null) return null;
  const body = Buffer.concat(chunks);
  return { status, bodyBytes: body.length, body };
}

function readChunks(bytes: Buffer, start: number): Buffer[] | null {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return null;
    if (size === 0) return chunks;
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
