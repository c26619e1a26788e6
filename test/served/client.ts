import http from "node:http";
import { Mailkeep, type Api } from "../../src/client/index.ts";
import { checkAnswer } from "../answer-schema.ts";
import type { CodeAnswer, Email, EmailSummary, Thread, ThreadSummary } from "../../src/contract/message.ts";

/** A request: key, method, headers and body. */
export interface Ask {
  key?: string;
  method?: string;
  json?: unknown;
  body?: Uint8Array | string;
  headers?: http.OutgoingHttpHeaders;
  /** Sends only the beginning of the announced body, and leaves the request open. */
  keepOpen?: boolean;
  /** An answer that takes longer counts as a hang. */
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** An answer with its parsed JSON. */
export interface Told<Body> extends Omit<Answer, "bytes"> {
  body: Body;
}

export interface MailboxKey {
  mailbox: string;
  api_key: string;
}

/** Time limit of a request in ms; the longest wait of the service is 55 s. */
const TIMEOUT_MS = 90_000;
/** workerd closes a connection that was idle for 5 s, so the client closes it earlier, in ms. */
const IDLE_SOCKET_MS = 3_000;
const MAX_PAGE = 100;

/** One deployment: `call` and `ask` send each path exactly as given, everything else is asked by the SDK. */
export class Service {
  readonly url: string;
  readonly operator: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_SOCKET_MS });
  #made = 0;

  constructor(url: string, operator: string) {
    this.url = url;
    this.operator = operator;
  }

  async call(path: string, ask: Ask = {}): Promise<Answer> {
    try {
      return await this.#request(path, ask);
    } catch (error) {
      // The server closed an idle connection when it was used again, so it has not read the request.
      if (error instanceof StaleSocket) return this.#request(path, ask);
      throw error;
    }
  }

  /** As `call`, and reads the JSON. */
  async ask<Body = Record<string, unknown>>(path: string, ask: Ask = {}): Promise<Told<Body>> {
    const { bytes, ...answer } = await this.call(path, ask);
    const body = JSON.parse(bytes.toString("utf8")) as Body;
    checkAnswer({ method: methodOf(ask), path: path.replace(/\?.*/s, "") }, answer.status, body);
    return { ...answer, body };
  }

  /** As `ask`; rejects unless the answer is a success. */
  async get<Body>(path: string, key: string): Promise<Body> {
    const answer = await this.ask<Body>(path, { key });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return answer.body;
  }

  /** The sum of a counter of `GET /metrics` over all its labels. */
  async counted(name: string): Promise<number> {
    const { bytes } = await this.call("/metrics", { key: this.operator });
    const values = bytes.toString("utf8").matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "gm"));
    return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** The SDK with a key. Its JSON answers are checked by the schemas of their routes. */
  mail(key: string): Mailkeep {
    return new Mailkeep({ url: this.url, key, fetch: checkedFetch, timeoutMs: TIMEOUT_MS });
  }

  /** Creates a mailbox for one test. */
  createMailbox(kind: "permanent" | "temporary" = "permanent"): Promise<MailboxKey> {
    this.#made += 1;
    const name = `box-${this.#made}-${Math.random().toString(36).slice(2, 8)}`;
    return this.mail(this.operator).mailboxes.create({ name, kind });
  }

  async bootstrap(): Promise<MailboxKey> {
    const { bootstrapped } = await Mailkeep.bootstrap({ url: this.url, fetch: checkedFetch });
    if (bootstrapped === null) throw new Error("The client does not know its mailbox");
    return bootstrapped;
  }

  /** Hands exact bytes over by HTTP. */
  handOver(
    to: string,
    raw: Uint8Array,
    from = "sender@example.com",
  ): Promise<Told<{ id: string; duplicate: boolean }>> {
    return this.ask(`/v1/inbound?${new URLSearchParams({ from, to }).toString()}`, {
      key: this.operator,
      method: "POST",
      body: raw,
      headers: { "Content-Type": "message/rfc822" },
    });
  }

  email(key: string, id: string): Promise<Email> {
    return this.mail(key).emails.get(id);
  }

  async raw(key: string, id: string): Promise<Buffer> {
    const response = await this.mail(key).emails.raw(id);
    return Buffer.from(await response.arrayBuffer());
  }

  thread(key: string, id: string): Promise<Thread> {
    return this.mail(key).threads.get(id);
  }

  code(key: string, wanted: Api["code"]["query"] = { timeout: 55 }): Promise<CodeAnswer> {
    return this.mail(key).codes.get(wanted);
  }

  /** The emails of every page of the inbox, newest first. */
  inbox(key: string, pageSize = MAX_PAGE): Promise<EmailSummary[]> {
    return all(this.mail(key).inbox.list({ limit: pageSize }));
  }

  /** The emails of every page of a search. */
  search(key: string, query: string, pageSize = MAX_PAGE): Promise<EmailSummary[]> {
    return all(this.mail(key).inbox.search({ q: query, limit: pageSize }));
  }

  /** The threads of every page. */
  threads(key: string, pageSize = MAX_PAGE): Promise<ThreadSummary[]> {
    return all(this.mail(key).threads.list({ limit: pageSize }));
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(path: string, ask: Ask): Promise<Answer> {
    const { hostname, port } = new URL(this.url);
    const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
    return new Promise((resolve, reject) => {
      const request = http.request({
        hostname,
        port,
        path,
        agent: this.#agent,
        method: methodOf(ask),
        headers: headersOf(ask, body),
        signal: AbortSignal.timeout(ask.timeoutMs ?? TIMEOUT_MS),
      });
      request.on("response", (response) => {
        const read = readAnswer(response).finally(() => ask.keepOpen && request.destroy());
        void read.then(resolve, reject);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        reject(stale ? new StaleSocket(error.message) : error);
      });
      if (ask.keepOpen) request.write(body ?? "");
      else request.end(body);
    });
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const listed: Item[] = [];
  for await (const item of items) listed.push(item);
  return listed;
}

/** `fetch` whose JSON answers are checked by the schemas of their routes. */
async function checkedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) return response;
  const { status, headers } = response;
  const text = await response.text();
  checkAnswer({ method: init.method ?? "GET", path: new URL(url).pathname }, status, JSON.parse(text));
  return new Response(text, { status, headers });
}

function methodOf({ method, json, body }: Ask): string {
  return method ?? (json === undefined && body === undefined ? "GET" : "POST");
}

class StaleSocket extends Error {
  override readonly name = "StaleSocket";
}

function headersOf(ask: Ask, body: Uint8Array | string | undefined): http.OutgoingHttpHeaders {
  return {
    ...(ask.key === undefined ? {} : { Authorization: `Bearer ${ask.key}` }),
    ...(ask.json === undefined ? {} : { "Content-Type": "application/json" }),
    ...(body === undefined || ask.headers?.["Transfer-Encoding"] !== undefined
      ? {}
      : { "Content-Length": Buffer.byteLength(body) }),
    ...ask.headers,
  };
}

async function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) };
}

/** Runs `task` over `items`, at most `limit` at a time; results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await task(item, index);
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}
