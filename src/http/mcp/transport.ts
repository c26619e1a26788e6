import { uuidV7 } from "../../lib/ids.ts";
import { json, respond } from "../answers.ts";
import { RPC_CODE, RpcError } from "./rpc-error.ts";

/**
 * How often a stream in which nothing happens is written to. On one machine only a write shows that a client closed its
 * connection, so a wait outlives its client by no more than this.
 */
const KEEP_ALIVE_MS = 5_000;

/**
 * The form of an answer: one JSON message; a stream of events, in which a client also hears of progress; or JSON, unless the
 * request is told of before its end.
 */
export type Form = "json" | "stream" | "stream-when-told";

/** The request of a client while it is worked on. */
export interface Exchange {
  id: string | number;
  /** Ends when the client is gone. */
  signal: AbortSignal;
  /** Tells the client something before the answer. An answer in JSON has no place for it. */
  notify: (method: string, params: object) => void;
}

/** Answers a request. `work` gives the result as JSON, or throws an `RpcError`. */
export async function answerRequest(
  request: Request,
  { id, form }: { id: string | number; form: Form },
  work: (exchange: Exchange) => Promise<string>,
): Promise<Response> {
  if (form === "json") {
    const { status, text } = await answerOf(id, () => work({ id, signal: request.signal, notify: () => {} }));
    return json(text, status);
  }
  const gone = new AbortController();
  const signal = AbortSignal.any([request.signal, gone.signal]);
  const { promise, resolve } = Promise.withResolvers<Response>();
  let stream: EventStream | null = null;
  const open = (): EventStream => {
    if (stream !== null) return stream;
    stream = new EventStream(() => gone.abort());
    resolve(respond(stream.body, 200, STREAM_HEADERS));
    return stream;
  };
  const leave = () => {
    stream?.end();
    // Nobody reads this answer.
    resolve(respond(null, CLIENT_GONE));
  };
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  const notify = (method: string, params: object) => {
    if (signal.aborted) return;
    open().write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  };
  if (form === "stream") open();
  void answerOf(id, () => work({ id, signal, notify })).then(({ status, text }) => {
    if (signal.aborted) return;
    if (stream === null) return resolve(json(text, status));
    stream.write(text);
    stream.end();
  });
  return promise;
}

/** The answer to a request as JSON. The client is told nothing of an unexpected error but where the log has it. */
async function answerOf(id: string | number, work: () => Promise<string>) {
  try {
    return { status: 200, text: `{"result":${await work()},"jsonrpc":"2.0","id":${JSON.stringify(id)}}` };
  } catch (error) {
    const { code, message, data, status } = error instanceof RpcError ? error : unexpected(error);
    return { status, text: JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }) };
  }
}

function unexpected(error: unknown): RpcError {
  const requestId = uuidV7(Date.now());
  console.error(`MCP request ${requestId} failed:`, error);
  return new RpcError(RPC_CODE.internalError, `Internal error; the log has it as ${requestId}`);
}

/** A status of nginx's, for logs. */
const CLIENT_GONE = 499;

const STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

/** The body of an answer that comes as events. */
class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly #encoder = new TextEncoder();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(onGone: () => void) {
    this.body = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      cancel: () => {
        this.#stop();
        onGone();
      },
    });
    this.#timer = setInterval(() => this.#send(": keepalive\n\n"), KEEP_ALIVE_MS);
  }

  /** Sends a JSON-RPC message. */
  write(message: string): void {
    this.#send(`event: message\ndata: ${message}\n\n`);
  }

  end(): void {
    const controller = this.#stop();
    controller?.close();
  }

  #send(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text));
  }

  #stop() {
    const controller = this.#controller;
    this.#controller = null;
    clearInterval(this.#timer);
    return controller;
  }
}
