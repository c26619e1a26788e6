import { uuidV7 } from "../../lib/ids.ts";
import type { Wait } from "../../service/wait.ts";
import { json, respond } from "../answers.ts";
import { HeldBody, KEEP_ALIVE_MS } from "../held-body.ts";
import { RPC_CODE, RpcError } from "./rpc-error.ts";

/**
 * The form of an answer: one JSON message; one with blanks in front while it is awaited, by which it is noticed that the client
 * is gone; a stream of events, which also carries progress; or JSON that becomes a stream when there is progress to report, or when
 * it takes long.
 */
export type Form = "json" | "held-json" | "stream" | "stream-when-told";

/** The request of a client while it is worked on. */
export interface Exchange {
  id: string | number;
  /** Ends when the client is gone. */
  signal: AbortSignal;
  /** Tells the client something before the answer. An answer in JSON has no place for it. */
  notify: (method: string, params: object) => void;
}

/**
 * Answers a request. `work` gives the result as JSON, or throws an `RpcError`.
 *
 * @param handOvers the calls of `work` that handed something out, which counts once the answer has left
 */
export async function answerRequest(
  request: Request,
  { id, form, handOvers = [] }: { id: string | number; form: Form; handOvers?: readonly Wait[] },
  work: (exchange: Exchange) => Promise<string>,
): Promise<Response> {
  const isStream = form === "stream" || form === "stream-when-told";
  const gone = new AbortController();
  const signal = AbortSignal.any([request.signal, gone.signal]);
  const { promise, resolve } = Promise.withResolvers<Response>();
  let body: HeldBody | null = null;
  const open = (): HeldBody => {
    if (body !== null) return body;
    body = new HeldBody(isStream ? ": keepalive\n\n" : " ", () => gone.abort());
    resolve(isStream ? respond(body.readable, 200, STREAM_HEADERS) : json(body.readable));
    return body;
  };
  const timer = form === "json" ? undefined : setTimeout(open, KEEP_ALIVE_MS);
  const leave = () => {
    clearTimeout(timer);
    body?.end();
    // Nobody reads this answer.
    resolve(respond(null, CLIENT_GONE));
  };
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  const notify = (method: string, params: object) => {
    if (signal.aborted || !isStream) return;
    open().write(eventOf(JSON.stringify({ jsonrpc: "2.0", method, params })));
  };
  if (form === "stream") open();
  void answerOf(id, () => work({ id, signal, notify })).then(({ status, text }) => {
    clearTimeout(timer);
    if (signal.aborted) return;
    if (body === null && handOvers.length === 0) return resolve(json(text, status));
    const message = isStream ? eventOf(text) : text;
    if (handOvers.length === 0) return open().end(message);
    return open().handOver(message, handOvers);
  });
  return promise;
}

function eventOf(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
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
