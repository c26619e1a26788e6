import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ALL_PERMISSIONS, PERMISSIONS } from "../../../src/host/cloudflare/permissions.ts";
import { ApiError, type Answer, type FakeCall } from "./answers.ts";
import { ROUTES, upload, type World } from "./routes.ts";
import {
  defaultCatchAll,
  type FakeAccount,
  type FakeRecord,
  type FakeToken,
  type FakeZone,
} from "./state.ts";

/** A failure that a test asks for. */
export interface Fault {
  /** Such as `POST /zones/`: the beginning of method and path. */
  at: string;
  status: number;
  /** Number and message; none for an answer that is no JSON. */
  error?: { code: number; message: string };
  headers?: Record<string, string>;
  /** Whether the call is carried out all the same, and only its answer is lost. */
  isCarriedOut?: boolean;
  /** How often; once unless given. */
  times?: number;
}

export const TOKEN = "token-of-the-tests-0123456789abcdefghijk";

/** A fake of Cloudflare's REST API. It begins with one account, one active zone and a token that may do everything needed. */
export class FakeCloudflare {
  readonly faults: Fault[] = [];
  /** Method and path of each call that came. */
  readonly calls: string[] = [];
  readonly account: FakeAccount;
  readonly zone: FakeZone;
  readonly token: FakeToken;
  /** Called before each call is carried out, and after; it may throw, as if the caller were killed there. */
  onCall: ((call: { method: string; path: string; phase: "before" | "after" }) => void) | null = null;
  readonly #world: World;
  #server: Server | null = null;
  #ids = 0;

  constructor(domain = "example.com") {
    this.#world = { accounts: new Map(), zones: new Map(), tokens: [], newId: () => this.#newId() };
    this.account = this.addAccount("Example Inc.");
    this.zone = this.addZone(domain, this.account);
    this.token = {
      id: this.#newId(),
      value: TOKEN,
      isLogin: false,
      status: "active",
      groups: new Set(ALL_PERMISSIONS.map((name) => PERMISSIONS[name].groups[0])),
      isRefusedLists: false,
      readsItself: false,
      accounts: new Set([this.account.id]),
    };
    this.#world.tokens.push(this.token);
  }

  addAccount(name: string): FakeAccount {
    const account: FakeAccount = {
      id: this.#newId(),
      name,
      subdomain: "example",
      hasR2: true,
      r2Code: 10042,
      hasQueues: true,
      maxScriptBytes: 10 * 1024 * 1024,
      buckets: new Map(),
      queues: [],
      subscriptions: [],
      scripts: new Map(),
      customDomains: [],
      sent: [],
    };
    this.#world.accounts.set(account.id, account);
    return account;
  }

  addZone(name: string, account: FakeAccount): FakeZone {
    const zone: FakeZone = {
      id: this.#newId(),
      name,
      account: account.id,
      status: "active",
      paused: false,
      records: [],
      routing: null,
      rules: [],
      catchAll: defaultCatchAll(),
      sending: [],
      allowsSending: true,
      addsSendingRecords: false,
    };
    this.#world.zones.set(zone.id, zone);
    return zone;
  }

  addRecord(record: Omit<FakeRecord, "id" | "isLocked">): void {
    this.zone.records.push({ id: this.#newId(), ...record, isLocked: false });
  }

  /** Uploads a worker as wrangler does, without wrangler. */
  deploy(config: Readonly<Record<string, unknown>>): void {
    const name = String(config["name"]);
    const buckets = entriesOf(config["r2_buckets"]);
    const vars = Object.entries(Object(config["vars"]));
    const objects = entriesOf(Object(config["durable_objects"]).bindings);
    const script = upload(this.account, name, {
      metadata: {
        main_module: "index.js",
        compatibility_date: String(config["compatibility_date"]),
        bindings: [
          ...vars.map(([key, text]) => ({ type: "plain_text", name: key, text })),
          ...objects.map((one) => ({
            type: "durable_object_namespace",
            name: String(one["name"]),
            class_name: one["class_name"],
          })),
          ...buckets.map((one) => ({
            type: "r2_bucket",
            name: String(one["binding"]),
            bucket_name: one["bucket_name"],
          })),
          ...entriesOf(config["send_email"]).map((one) => ({
            type: "send_email",
            name: String(one["name"]),
          })),
        ],
      },
      bytes: 1_000,
      hash: JSON.stringify(config),
    });
    script.isPublic = true;
    for (const consumer of entriesOf(Object(config["queues"]).consumers)) this.#consume(name, consumer);
  }

  #consume(script: string, consumer: Record<string, unknown>): void {
    const queue = this.account.queues.find(({ queue_name: name }) => name === consumer["queue"]);
    if (queue === undefined) throw new ApiError(404, 11000, "The specified queue does not exist.");
    if (queue.consumers.length > 0) return;
    queue.consumers.push({
      consumer_id: this.#newId(),
      script,
      settings: { max_retries: consumer["max_retries"] },
      dead_letter_queue: String(consumer["dead_letter_queue"]),
    });
  }

  /** Takes the place of `fetch`, without a network. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => this.answer(new Request(url, init));

  /** Answers a request for any host: what comes before `/client/v4` does not count. */
  async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.replace(/^.*?\/client\/v4/, "");
    const { method } = request;
    this.calls.push(`${method} ${path}`);
    this.onCall?.({ method, path, phase: "before" });
    const fault = this.#faultFor(`${method} ${path}`);
    if (fault !== null && fault.isCarriedOut !== true) return faultResponse(fault);
    const answer = await this.#carriedOut(request, path, searchParams);
    this.onCall?.({ method, path, phase: "after" });
    return fault === null ? responseOf(answer) : faultResponse(fault);
  }

  async #carriedOut(request: Request, path: string, query: URLSearchParams): Promise<Answer> {
    try {
      const token = this.#tokenOf(request);
      for (const route of ROUTES) {
        const parts = route.method === request.method ? partsOf(route.path, path) : null;
        if (parts === null) continue;
        return await route.handle(this.#world, await callOf(request, { parts, query, token }));
      }
      throw new ApiError(404, 7003, `Could not route to ${path}, perhaps your object identifier is invalid?`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, result: null, errors: [{ code: error.code, message: error.message }] };
    }
  }

  #tokenOf(request: Request): FakeToken {
    const header = request.headers.get("Authorization") ?? "";
    const value = header.replace(/^Bearer /, "");
    if (header === value || /^[0-9a-f]{37}$/.test(value)) {
      throw new ApiError(400, 6003, "Invalid request headers");
    }
    // Uploads of static files carry the token of their session.
    if (value.startsWith("assets-")) return this.token;
    const token = this.#world.tokens.find((one) => one.value === value);
    if (token === undefined) throw new ApiError(401, 1000, "Invalid API Token");
    return token;
  }

  #faultFor(call: string): Fault | null {
    const fault = this.faults.find(({ at }) => call.startsWith(at));
    if (fault === undefined) return null;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times <= 0) this.faults.splice(this.faults.indexOf(fault), 1);
    return fault;
  }

  /** Listens on loopback. Resolves to the base address of the API. */
  async listen(): Promise<string> {
    const server = createServer((incoming, outgoing) => void this.#answerOver(incoming, outgoing));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`;
  }

  async #answerOver(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(Buffer.from(piece));
    const body = Buffer.concat(pieces);
    const request = new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
      method: incoming.method ?? "GET",
      headers,
      ...(body.length === 0 ? {} : { body }),
    });
    const response = await this.answer(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers.entries()));
    outgoing.end(await response.text());
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Everything that an operator would see, without ids and without values of secrets. Two equal states are the same deployment. */
  get visible(): unknown {
    const queueName = (id: string): string | undefined =>
      this.account.queues.find(({ queue_id: own }) => own === id)?.queue_name;
    return {
      subdomain: this.account.subdomain,
      buckets: [...this.account.buckets.keys()].toSorted(),
      queues: this.account.queues.map(({ queue_name: name, consumers }) => ({
        name,
        consumers: consumers.map(({ script, settings, dead_letter_queue: dead }) => ({
          script,
          settings,
          dead,
        })),
      })),
      subscriptions: this.account.subscriptions.map(({ name, enabled, events, source, destination }) => ({
        name,
        enabled,
        events,
        domain: source.domain,
        queue: queueName(destination.queue_id),
      })),
      scripts: [...this.account.scripts.values()].map(({ name, bindings, secrets, isPublic, etag }) => ({
        name,
        bindings,
        secrets: [...secrets.keys()].toSorted(),
        isPublic,
        etag,
      })),
      records: this.zone.records
        .map((record) => ({ ...record, id: null, modifiedMs: null }))
        .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
      customDomains: this.account.customDomains.map(({ hostname, service }) => ({ hostname, service })),
      routing: this.zone.routing?.enabled === true ? this.zone.routing : null,
      rules: this.zone.rules,
      catchAll: this.zone.catchAll,
      sending: this.zone.sending.map(({ name, enabled }) => ({ name, enabled })),
    };
  }

  #newId(): string {
    this.#ids += 1;
    return this.#ids.toString(16).padStart(32, "0");
  }
}

function entriesOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map((one): Record<string, unknown> => Object(one)) : [];
}

function partsOf(pattern: string, path: string): string[] | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const parts: string[] = [];
  for (const [at, part] of wanted.entries()) {
    if (part === "{}") parts.push(decodeURIComponent(given[at] ?? ""));
    else if (part !== given[at]) return null;
  }
  return parts;
}

async function callOf(
  request: Request,
  call: Pick<FakeCall, "parts" | "query" | "token">,
): Promise<FakeCall> {
  const type = request.headers.get("Content-Type") ?? "";
  const isForm = type.startsWith("multipart/form-data");
  const form = isForm ? await request.formData() : null;
  const text = isForm || request.method === "GET" ? "" : await request.text();
  return { ...call, method: request.method, body: text === "" ? undefined : parsed(text), form };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 10001, "The body is no JSON");
  }
}

function responseOf({ status, result, errors, info, headers, isEmpty = false }: Answer): Response {
  if (isEmpty) return new Response(null, { status });
  const body = {
    success: errors.length === 0,
    errors,
    messages: [],
    result,
    ...(info && { result_info: info }),
  };
  return Response.json(body, { status, ...(headers && { headers }) });
}

function faultResponse({ status, error, headers = {} }: Fault): Response {
  if (error === undefined) return new Response("<html>502 Bad Gateway</html>", { status, headers });
  return responseOf({ status, result: null, errors: [error], headers });
}
