import http from "node:http";
import { pipeline } from "node:stream/promises";
import type { URL } from "node:url";
import {
  SENDER_CHECK_HEADER,
  writeCheckedSender,
  type CheckedSender,
} from "../../contract/checked-sender.ts";
import { LISTENER_AGENT } from "../../contract/product.ts";
import type { SpooledMessage } from "./spool.ts";

/** A look-up is one read of a mailbox; a sender waits up to 5 minutes for RCPT (RFC 5321 §4.5.3.2.3). */
export const LOOK_UP_TIMEOUT_MS = 10_000;
/**
 * 25 MiB take a second to parse, and less than that for each of up to a hundred mailboxes that store it; senders wait 10
 * minutes after the final dot (RFC 5321 §4.5.3.2.6).
 */
export const HAND_OVER_TIMEOUT_MS = 240_000;
/** workerd closes a connection that was idle for 5 s, so we close it earlier. */
const IDLE_SOCKET_MS = 4_000;
/** As many as the listener has connections: no client waits behind a slow message. */
const MAX_SOCKETS = 100;
/** Answers of the worker are small JSON; anything longer is not one of them. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** An answer of the worker. */
export interface Answer {
  status: number;
  body: string;
}

/** A message that is handed over by itself. */
export interface MessageCall {
  url: URL;
  message: SpooledMessage;
  /** The findings about who sent it. */
  sender: CheckedSender | null;
}

/** The connections to the worker. */
export function workerAgent(): http.Agent {
  return new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_SOCKET_MS });
}

/** A kept-alive connection was closed before any answer came. */
export class StaleSocket extends Error {
  override readonly name = "StaleSocket";

  /** The error of a request: a `StaleSocket` if that is the reason, else the same. */
  static orSame(error: NodeJS.ErrnoException, req: http.ClientRequest): Error {
    const isStale = req.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
    return isStale ? new StaleSocket(error.message) : error;
  }
}

/** The header fields of each call. */
export function callHeaders(url: URL, token: string): http.OutgoingHttpHeaders {
  // The listener may reach the worker by an address of the network; it is on this machine all the same.
  return {
    Host: `localhost:${url.port}`,
    Authorization: `Bearer ${token}`,
    "User-Agent": LISTENER_AGENT,
  };
}

/** Hands a message over in a request of its own. */
export async function callWithMessage(agent: http.Agent, token: string, call: MessageCall): Promise<Answer> {
  try {
    return await request(agent, token, call);
  } catch (error) {
    // workerd may close an idle connection at the moment that we reuse it. If it stored the message nevertheless, it
    // recognizes the repeat as a duplicate, exactly as when the sender repeats the message after a 451.
    if (error instanceof StaleSocket) return request(agent, token, call);
    throw error;
  }
}

function request(agent: http.Agent, token: string, { url, message, sender }: MessageCall): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...callHeaders(url, token),
      "Content-Type": "message/rfc822",
      "Content-Length": message.sizeBytes,
      [SENDER_CHECK_HEADER]: writeCheckedSender(sender),
    };
    const signal = AbortSignal.timeout(HAND_OVER_TIMEOUT_MS);
    const req = http.request(url, { agent, method: "POST", signal, headers });
    req.on("response", (res) => void readAnswer(res).then(resolve, reject));
    req.on("error", (error) => reject(StaleSocket.orSame(error, req)));
    const body = message.open();
    // A read error destroys the request, which then reports it through its own "error" event.
    if (body instanceof Uint8Array) req.end(body);
    else pipeline(body, req).catch((error: Error) => req.destroy(error));
  });
}

async function readAnswer(res: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of res as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("answer too long");
    chunks.push(chunk);
  }
  return { status: res.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") };
}
