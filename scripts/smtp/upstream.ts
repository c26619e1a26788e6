import http from "node:http";
import { pipeline } from "node:stream/promises";
import { URL } from "node:url";
import type { SpooledMessage } from "./spool.ts";

/** `unavailable` covers every doubt: the sender must not take it for a verdict on the address. */
export type Lookup = "known" | "full" | "unknown" | "unavailable";

/** What became of one message for one recipient. Only `stored` means that the mail is safe. */
export type HandOver =
  | { kind: "stored"; id: string }
  | { kind: "unknown" }
  | { kind: "full" }
  | { kind: "too-large" }
  | { kind: "not-acceptable" }
  | { kind: "unavailable" };

/** Who sent a message, as SMTP told; `from` is "" for the null sender. */
export interface Envelope {
  from: string;
  clientAddress: string;
  helo: string;
}

/** The two questions that the SMTP listener asks the worker. Neither rejects. */
export interface Upstream {
  lookUp(address: string): Promise<Lookup>;
  handOver(message: SpooledMessage, recipient: string, envelope: Envelope): Promise<HandOver>;
  close(): void;
}

interface Answer {
  status: number;
  body: string;
}

interface Call {
  method: "GET" | "POST";
  path: string;
  message?: SpooledMessage;
  timeoutMs: number;
}

/** What the worker's refusals of a message mean; any other status is a doubt. */
const REFUSALS: Readonly<Record<number, Exclude<HandOver["kind"], "stored">>> = {
  400: "not-acceptable",
  404: "unknown",
  413: "too-large",
  507: "full",
};
/** A look-up is one read of the directory; a sender waits up to 5 minutes for RCPT (RFC 5321 §4.5.3.2.3). */
const LOOK_UP_TIMEOUT_MS = 10_000;
/** 25 MiB take a second to parse; senders wait 10 minutes after the final dot (RFC 5321 §4.5.3.2.6). */
const HAND_OVER_TIMEOUT_MS = 120_000;
/** workerd closes a connection that was idle for 5 s: let go of it before. */
const IDLE_SOCKET_MS = 4_000;
/** As many as the listener has clients: nobody queues behind a slow message. */
const MAX_SOCKETS = 100;
/** RFC 1035 §2.3.4: no host name is longer, and the worker takes no more. smtp-server lets longer names pass. */
const MAX_HELO_CHARS = 255;
/** Answers of the worker are small JSON; anything longer is not one of them. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Speaks to the worker at `base` (such as `http://127.0.0.1:8787`) as its operator.
 * `log` gets one line for each failure that makes a sender wait.
 */
export function connectUpstream(base: string, token: string, log: (line: string) => void): Upstream {
  const agent = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_SOCKET_MS });
  const ask = async (call: Call): Promise<Answer | null> => {
    try {
      return await exchange(agent, new URL(call.path, base), token, call);
    } catch (error) {
      log(`smtp: the mail store did not answer (${error instanceof Error ? error.message : String(error)})`);
      return null;
    }
  };
  return {
    async lookUp(address) {
      const path = `/v1/mailboxes/${encodeURIComponent(address)}`;
      const answer = await ask({ method: "GET", path, timeoutMs: LOOK_UP_TIMEOUT_MS });
      if (answer?.status === 200) return saysFull(answer.body) ? "full" : "known";
      // 400: no address at all in the worker's eyes. Trying it again tomorrow does not help the sender.
      if (answer?.status === 404 || answer?.status === 400) return "unknown";
      if (answer) log(`smtp: the look-up of a recipient answered ${answer.status}`);
      return "unavailable";
    },
    async handOver(message, recipient, envelope) {
      const query = new URLSearchParams({
        from: envelope.from,
        to: recipient,
        via: "smtp",
        client: envelope.clientAddress,
        helo: envelope.helo.slice(0, MAX_HELO_CHARS),
      });
      const path = `/v1/inbound?${query.toString()}`;
      const answer = await ask({ method: "POST", path, message, timeoutMs: HAND_OVER_TIMEOUT_MS });
      if (answer?.status === 202) return { kind: "stored", id: idOf(answer.body) };
      const refusal = answer ? REFUSALS[answer.status] : undefined;
      // A refusal of ours for a sender's mistake is worth a line all the same: the mistake may be this listener's.
      if (answer && (!refusal || answer.status === 400))
        log(`smtp: the hand-over of a message answered ${answer.status}`);
      return { kind: refusal ?? "unavailable" };
    },
    close: () => agent.destroy(),
  };
}

async function exchange(agent: http.Agent, url: URL, token: string, call: Call): Promise<Answer> {
  try {
    return await request(agent, url, token, call);
  } catch (error) {
    // workerd may close an idle connection in the moment we reuse it. A message that it stored all the same is
    // recognised as a duplicate, exactly as when the sender repeats it after a 451.
    if (error instanceof StaleSocket) return request(agent, url, token, call);
    throw error;
  }
}

/** A kept-alive connection was gone before any answer came. */
class StaleSocket extends Error {
  override readonly name = "StaleSocket";
}

function request(agent: http.Agent, url: URL, token: string, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = http.request(url, {
      agent,
      method: call.method,
      signal: AbortSignal.timeout(call.timeoutMs),
      headers: headersOf(url, token, call),
    });
    req.on("response", (res) => void readAnswer(res).then(resolve, reject));
    req.on("error", (error: NodeJS.ErrnoException) => {
      const stale = req.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      reject(stale ? new StaleSocket(error.message) : error);
    });
    const body = call.message?.open();
    // A read error destroys the request, which then reports it through its own "error" event.
    if (body && !(body instanceof Uint8Array))
      pipeline(body, req).catch((error: Error) => req.destroy(error));
    else req.end(body);
  });
}

function headersOf(url: URL, token: string, call: Call): http.OutgoingHttpHeaders {
  // The listener may reach the worker by an address of the network; it is on this machine all the same.
  const headers = { Host: `localhost:${url.port}`, Authorization: `Bearer ${token}` };
  if (!call.message) return headers;
  return { ...headers, "Content-Type": "message/rfc822", "Content-Length": call.message.sizeBytes };
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

/** The 202 alone says that the message is stored; the id is only shown. */
function idOf(body: string): string {
  const id = member(body, "id");
  return typeof id === "string" ? id : "stored";
}

/** A store that does not say so has room; the hand-over tells otherwise. */
function saysFull(body: string): boolean {
  return member(body, "full") === true;
}

function member(body: string, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, name) : undefined;
  } catch {
    // Not JSON: nothing is said.
    return undefined;
  }
}
