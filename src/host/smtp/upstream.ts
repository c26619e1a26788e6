import http from "node:http";
import { pipeline } from "node:stream/promises";
import { URL } from "node:url";
import * as z from "zod";
import {
  SENDER_CHECK_HEADER,
  writeCheckedSender,
  type CheckedSender,
} from "../../contract/checked-sender.ts";
import { STATUS, type ProblemCode } from "../../contract/problem.ts";
import { LISTENER_AGENT } from "../../contract/product.ts";
import type { RuntimeGate } from "../runtime-gate.ts";
import type { SpooledMessage } from "./spool.ts";

/** The worker's answer about a recipient. `unavailable`: it is not known, so the sender must try again later. */
export type Lookup = "known" | "full" | "unknown" | "unavailable";

/** The result of handing a message over for one recipient. Only `stored` means that the mail is safe. */
export type HandOver =
  | { kind: "stored"; id: string }
  | { kind: "refused"; reason: RuleCode }
  /** Its mailbox keeps it as refused, because DNS did not say who the sender is; a repeat may be stored. */
  | { kind: "unchecked" }
  | { kind: "unknown" }
  | { kind: "full" }
  | { kind: "too-large" }
  | { kind: "not-acceptable" }
  | { kind: "unavailable" };

/** The codes of a mail that the rules of its mailbox refuse, and keep apart. */
const RULE_CODES = z.enum([
  "sender_blocked",
  "sender_not_listed",
  "sender_not_verified",
] satisfies ProblemCode[]);
type RuleCode = z.infer<typeof RULE_CODES>;
/** The code of a mail whose sender could not be checked. */
const UNCHECKED = "sender_not_checked" satisfies ProblemCode;

/** The sender of a message as given in SMTP; `from` is "" for the null sender. */
export interface Envelope {
  from: string;
  clientAddress: string;
  helo: string;
  /** The findings about who sent it; null where nothing was checked. */
  sender: CheckedSender | null;
}

/** The result for one recipient. */
export interface Delivery {
  recipient: string;
  result: HandOver;
}

/** The two calls of the SMTP listener to the worker. Neither rejects. */
export interface Upstream {
  lookUp(address: string): Promise<Lookup>;
  /** Hands a message over for all of its recipients; one result for each. */
  handOver(message: SpooledMessage, recipients: readonly string[], envelope: Envelope): Promise<Delivery[]>;
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
  /** The findings about who sent the message. */
  sender?: CheckedSender | null;
  timeoutMs: number;
}

/** The meaning of the worker's refusals of a message; any other status means that the result is not known. */
const REFUSALS: Readonly<Record<number, Exclude<HandOver["kind"], "stored" | "refused" | "unchecked">>> = {
  400: "not-acceptable",
  404: "unknown",
  413: "too-large",
};
/** The status of a message that the rules of its mailbox refuse. */
const REFUSED_STATUS = STATUS.sender_blocked;
/** A look-up is one read of the directory; a sender waits up to 5 minutes for RCPT (RFC 5321 §4.5.3.2.3). */
const LOOK_UP_TIMEOUT_MS = 10_000;
/**
 * 25 MiB take a second to parse, and less than that for each of up to a hundred mailboxes that store it; senders wait 10
 * minutes after the final dot (RFC 5321 §4.5.3.2.6).
 */
const HAND_OVER_TIMEOUT_MS = 240_000;
/**
 * Characters of a query: workerd takes 128 KB of request line and headers. A hundred recipients take some 5,000; only names of
 * domains that are long and not ASCII need a second request.
 */
const MAX_QUERY_CHARS = 60_000;
/** workerd closes a connection that was idle for 5 s, so we close it earlier. */
const IDLE_SOCKET_MS = 4_000;
/** As many as the listener has connections: no client waits behind a slow message. */
const MAX_SOCKETS = 100;
/** RFC 1035 §2.3.4: no host name is longer, and the worker refuses longer ones. smtp-server does not. */
const MAX_HELO_CHARS = 255;
/** Answers of the worker are small JSON; anything longer is not one of them. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Calls the worker at `base` (such as `http://127.0.0.1:8787`) as its operator, while the gate is open.
 * `log` gets one line for each failure that makes a sender wait.
 */
export function connectUpstream(
  base: string,
  token: string,
  { gate, log }: { gate: RuntimeGate | undefined; log: (line: string) => void },
): Upstream {
  const agent = new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_SOCKET_MS });
  const ask = async (call: Call): Promise<Answer | null> => {
    try {
      if (gate !== undefined && !(await gate.passes())) throw new Error("it is being started again");
      return await exchange(agent, new URL(call.path, base), token, call);
    } catch (error) {
      log(`smtp: the mail store did not answer (${error instanceof Error ? error.message : String(error)})`);
      return null;
    }
  };
  const logOdd = (statuses: readonly (number | null)[]): void => {
    for (const status of new Set(statuses)) {
      // 400 is logged too: the mistake may be this listener's, not the sender's.
      const isOdd =
        status !== null &&
        status !== 202 &&
        status !== REFUSED_STATUS &&
        (status === 400 || REFUSALS[status] === undefined);
      if (isOdd) log(`smtp: the hand-over of a message answered ${status}`);
    }
  };
  return {
    async lookUp(address) {
      const path = `/v1/mailboxes/${encoded(address)}`;
      const answer = await ask({ method: "GET", path, timeoutMs: LOOK_UP_TIMEOUT_MS });
      if (answer?.status === 200) return saidIn(answer.body).full ? "full" : "known";
      // 400: the worker does not take it for an address, and a repeat would not change that.
      if (answer?.status === 404 || answer?.status === 400) return "unknown";
      if (answer) log(`smtp: the look-up of a recipient answered ${answer.status}`);
      return "unavailable";
    },
    async handOver(message, recipients, envelope) {
      const deliveries: Delivery[] = [];
      for (const { query, some } of queriesOf(envelope, recipients)) {
        const path = `/v1/inbound?${query}`;
        const answer = await ask({
          method: "POST",
          path,
          message,
          sender: envelope.sender,
          timeoutMs: HAND_OVER_TIMEOUT_MS,
        });
        const told = some.map((recipient, index) => ({ recipient, outcome: outcomeOf(answer, some, index) }));
        for (const { recipient, outcome } of told) deliveries.push({ recipient, result: resultOf(outcome) });
        logOdd(told.map(({ outcome }) => outcome?.status ?? null));
      }
      return deliveries;
    },
    close: () => agent.destroy(),
  };
}

async function exchange(agent: http.Agent, url: URL, token: string, call: Call): Promise<Answer> {
  try {
    return await request(agent, url, token, call);
  } catch (error) {
    // workerd may close an idle connection at the moment that we reuse it. If it stored the message nevertheless, it
    // recognizes the repeat as a duplicate, exactly as when the sender repeats the message after a 451.
    if (error instanceof StaleSocket) return request(agent, url, token, call);
    throw error;
  }
}

/** A kept-alive connection was closed before any answer came. */
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
  const headers = {
    Host: `localhost:${url.port}`,
    Authorization: `Bearer ${token}`,
    "User-Agent": LISTENER_AGENT,
  };
  if (!call.message) return headers;
  return {
    ...headers,
    "Content-Type": "message/rfc822",
    "Content-Length": call.message.sizeBytes,
    [SENDER_CHECK_HEADER]: writeCheckedSender(call.sender ?? null),
  };
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

/** The queries that name all recipients: several only if the addresses are unusually long. */
function queriesOf(
  envelope: Envelope,
  recipients: readonly string[],
): { query: string; some: readonly string[] }[] {
  const common = new URLSearchParams({
    from: envelope.from,
    via: "smtp",
    client: envelope.clientAddress,
    helo: envelope.helo.slice(0, MAX_HELO_CHARS),
  }).toString();
  const queries: { query: string; some: string[] }[] = [];
  for (const recipient of recipients) {
    const to = `&to=${encoded(recipient)}`;
    const last = queries.at(-1);
    if (last === undefined || last.query.length + to.length > MAX_QUERY_CHARS) {
      queries.push({ query: common + to, some: [recipient] });
    } else {
      last.query += to;
      last.some.push(recipient);
    }
  }
  return queries;
}

/** A label in Punycode may hold half of a surrogate pair, which smtp-server decodes and no URL can carry. */
function encoded(address: string): string {
  return encodeURIComponent(address.toWellFormed());
}

/** The worker's outcome for one recipient. */
interface Outcome {
  status: number;
  /** The id of the stored message; null if the answer has none. */
  id: string | null;
  full: boolean;
  /** Why the rules of the mailbox refuse the message; null if they do not. */
  rule: RuleCode | typeof UNCHECKED | null;
}

/** Null if the result is not known: there was no answer, or it does not name this recipient. */
function outcomeOf(answer: Answer | null, recipients: readonly string[], index: number): Outcome | null {
  if (answer === null) return null;
  // A refusal of the whole message, or the answer for its only recipient.
  if (answer.status !== 202 || recipients.length === 1)
    return { status: answer.status, ...saidIn(answer.body) };
  const said = ANSWER_FOR_SEVERAL.safeParse(parseJson(answer.body));
  const one = said.success ? said.data.recipients[index] : undefined;
  // Using the result of another recipient would lose or duplicate a message.
  if (one === undefined || one.to !== recipients[index]) return null;
  return { status: one.status, ...saidBy(one) };
}

/** The status 202 says that the message is stored; the id is only shown. */
function resultOf(outcome: Outcome | null): HandOver {
  if (outcome === null) return { kind: "unavailable" };
  if (outcome.status === 202) return { kind: "stored", id: outcome.id ?? "stored" };
  if (outcome.status === 503 && outcome.full) return { kind: "full" };
  if (outcome.rule === UNCHECKED) return { kind: "unchecked" };
  if (outcome.rule !== null) return { kind: "refused", reason: outcome.rule };
  return { kind: REFUSALS[outcome.status] ?? "unavailable" };
}

const ANSWER_FOR_ONE = z.object({
  id: z.string().optional(),
  full: z.boolean().optional(),
  code: z
    .enum([...RULE_CODES.options, UNCHECKED])
    .optional()
    .catch(undefined),
});
const ANSWER_FOR_SEVERAL = z.object({
  recipients: z.array(ANSWER_FOR_ONE.extend({ to: z.string(), status: z.int() })),
});

/** Reads an answer. A mailbox that is not said to be full counts as having room; the hand-over finds out. */
function saidIn(body: string): Omit<Outcome, "status"> {
  const said = ANSWER_FOR_ONE.safeParse(parseJson(body));
  return saidBy(said.success ? said.data : {});
}

function saidBy({ id, full, code }: z.infer<typeof ANSWER_FOR_ONE>): Omit<Outcome, "status"> {
  return { id: id ?? null, full: full === true, rule: code ?? null };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON.
    return undefined;
  }
}
