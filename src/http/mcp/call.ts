import type { Config } from "../../config/env.ts";
import { invalid, UNAUTHORIZED, type Answer, type Problem } from "../../contract/problem.ts";
import type { Output, RouteInput, RouteSpec } from "../../contract/route.ts";
import { routes, type RouteId } from "../../contract/routes.ts";
import { ANYONE, type Scope } from "../../contract/scope.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Access } from "../../mailbox/account/access.ts";
import type { MailboxStub } from "../../service/mailbox-stub.ts";
import { type Wait, Waiting } from "../../service/wait.ts";
import { Bytes, Reply } from "../answers.ts";
import { namesAnother, type Caller } from "../caller.ts";
import { accessFor } from "../dispatch.ts";
import { endpointOf } from "../handlers.ts";
import { fitInput } from "../request-input.ts";
import { queryOf } from "../request-url.ts";

type Routes = typeof routes;

/** The input of a route as a client of the API sends it. Parameters that are undefined are not sent. */
export interface RouteParts {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  idempotencyKey?: string | undefined;
  /** Ends the work when the client is gone. */
  signal?: AbortSignal;
  /** Another request may end the waits of this one by it. */
  waitTag?: string;
  whilePaused?: boolean;
  /** It counts as a request of its own. Otherwise one message counts as one request, whatever it takes. */
  counts?: boolean;
}

/** The value of a route: its JSON, or an answer in bytes. */
type Value<Id extends RouteId> = [Output<Routes[Id]>] extends [never] ? Bytes : Output<Routes[Id]>;

const MAILBOX_NEEDED: Problem = {
  ...invalid("mailbox", "the operator key acts on the mailbox that the address of this server names"),
  fix: "Connect to /mcp?mailbox=<address>, or with the key of a mailbox.",
};

/** The rights of a client that connects: any key may, also that of a paused mailbox. */
const CONNECTING = { scopes: ANYONE, whilePaused: true };

interface Parts {
  request: Request;
  env: Env;
  config: Config;
  origin: string;
  caller: Exclude<Caller, { kind: "nobody" }>;
  mailbox: MailboxStub | null;
}

/** One request to /mcp of a caller who showed a credential. The mailbox judges the caller in each call that does work. */
export class McpCall {
  readonly env: Env;
  readonly config: Config;
  readonly origin: string;
  /** Whether a tool was called: the mailbox then judged the caller. */
  isServed = false;
  /** The calls that handed something out, which counts once the answer to the request has left. */
  readonly handOvers: Wait[] = [];
  /** Null where the operator named none. */
  readonly mailbox: MailboxStub | null;
  readonly #request: Request;
  readonly #caller: Parts["caller"];
  readonly #isForeign: boolean;
  #isCounted = false;
  #refusal: Problem | null = null;
  #admitted: Answer<Scope> | null = null;

  constructor({ request, env, config, origin, caller, mailbox }: Parts) {
    this.env = env;
    this.config = config;
    this.origin = origin;
    this.mailbox = mailbox;
    this.#request = request;
    this.#caller = caller;
    const named = queryOf(request).flatMap(([name, value]) =>
      name === "mailbox" && value !== "" ? value : [],
    );
    this.#isForeign = caller.kind === "key" && named.some((address) => namesAnother(address, caller.locator));
  }

  get isOperator(): boolean {
    return this.#caller.kind === "operator";
  }

  /** The 401 or 403 of the whole request, if a mailbox found it wrong in the middle of a call; null while there is none. */
  get refusal(): Problem | null {
    return this.#refusal;
  }

  /** Judges the caller once, and says what its credential is. */
  async admit(): Promise<Answer<Scope>> {
    this.#admitted ??= await this.#judge();
    return this.#admitted;
  }

  async #judge(): Promise<Answer<Scope>> {
    if (this.mailbox === null) return done("operator");
    const admitted = this.#noted(await this.mailbox.admit(this.#access(CONNECTING, null)));
    return admitted.ok ? done(admitted.value.scope) : admitted;
  }

  /** The access of this caller to what a route does. */
  access(id: RouteId, fault: Problem | null = null): Access {
    return this.#access(routes[id], fault);
  }

  /** Answers `fault` to a caller who may call a route, and to any other why it may not. */
  async refuse(id: RouteId, fault: Problem): Promise<Answer<never>> {
    if (this.mailbox === null) return refused(fault);
    const judged = this.#noted(await this.mailbox.admit(this.access(id, fault)));
    return judged.ok ? refused(fault) : judged;
  }

  /** Calls the handler of a route once, after its own schemas parsed the parts. */
  async route<Id extends RouteId>(id: Id, parts: RouteParts = {}): Promise<Answer<Value<Id>>> {
    const { spec, handler } = endpointOf(id);
    if (spec.target === "mailbox" && this.mailbox === null) return refused(MAILBOX_NEEDED);
    // No mailbox judges a route of the deployment: the refusal of a key says that its scope does not suffice.
    if (spec.target === "deployment" && !this.isOperator) return this.refuse(id, UNAUTHORIZED);
    const input = inputOf(spec, parts);
    if (!input.ok) return this.refuse(id, input.error);
    if (parts.counts === true) this.#isCounted = false;
    const access = this.#access(
      { ...spec, whilePaused: parts.whilePaused ?? spec.whilePaused ?? false },
      null,
    );
    const begun = await handler({
      env: this.env,
      config: this.config,
      origin: this.origin,
      request: this.#requestOf(spec, parts),
      ignored: [],
      input: input.value,
      mailbox: this.mailbox,
      access,
      waitTag: parts.waitTag,
    } as never);
    const answer = this.#noted(await this.#awaited(begun));
    // The table binds the handler to this type (`HandlersOf`, `AllFit`).
    return answer.ok ? done((await valueOf(answer.value)) as Value<Id>) : answer;
  }

  /**
   * Calls the mailbox of a route where a tool needs more or less than its handler answers. The schemas of the route check `parts`
   * first.
   */
  async ask<T>(
    id: RouteId,
    question: (mailbox: MailboxStub, access: Access) => Promise<Answer<T>>,
    parts?: RouteParts,
  ): Promise<Answer<T>> {
    if (this.mailbox === null) return refused(MAILBOX_NEEDED);
    const input = parts === undefined ? null : inputOf(routes[id], parts);
    if (input?.ok === false) return this.refuse(id, input.error);
    return this.#noted(await question(this.mailbox, this.access(id)));
  }

  /** Ends the waits of another request of this caller, by its JSON-RPC id. */
  async cancel(requestId: string | number): Promise<void> {
    await this.mailbox?.forget(this.waitTag(requestId));
  }

  /**
   * The key under which the waits of a request are stored, made of its caller and its id, because nothing else is kept between
   * requests. Two clients with one key may use one id; if one of them cancels, the other's wait ends early too, and it can ask
   * again.
   */
  waitTag(requestId: string | number): string {
    const who = this.#caller.kind === "key" ? this.#caller.secretHash : "operator";
    return `${sha256Hex(`${who} ${JSON.stringify(requestId)}`).slice(0, 32)}:`;
  }

  #access(allowed: Pick<RouteSpec, "scopes" | "whilePaused">, fault: Problem | null): Access {
    const access = accessFor({ caller: this.#caller, spec: allowed, fault, origin: this.origin });
    access.foreign = this.#isForeign;
    access.isCounted = this.#isCounted;
    this.#isCounted = true;
    return access;
  }

  async #awaited(answer: Answer<unknown>): Promise<Answer<unknown>> {
    if (!answer.ok || !(answer.value instanceof Waiting)) return answer;
    const waiting: Waiting = answer.value;
    const come = await waiting.work;
    if (waiting.isHandOver) this.handOvers.push(waiting.wait);
    return come;
  }

  #noted<T>(answer: Answer<T>): Answer<T> {
    if (!answer.ok && (answer.error.code === "unauthorized" || answer.error.code === "wrong_mailbox")) {
      this.#refusal = answer.error;
    }
    return answer;
  }

  /** The request that a client of the API would send, as far as handlers look at it. Most look at none. */
  #requestOf({ method, path }: RouteSpec, { idempotencyKey, signal }: RouteParts): Request {
    if (method === "GET" && signal === undefined) return this.#request;
    const headers = idempotencyKey === undefined ? undefined : { "Idempotency-Key": idempotencyKey };
    return new Request(`${this.origin}${path}`, { method, headers, signal: signal ?? this.#request.signal });
  }
}

function inputOf(
  spec: RouteSpec,
  { params = {}, query = {}, body = {} }: RouteParts,
): Answer<RouteInput<RouteSpec>> {
  const sent = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return fitInput(spec, { params, query: sent, body }).input;
}

/** The value of an answer that may be JSON text or a stream of it. */
async function valueOf(answer: unknown): Promise<unknown> {
  if (answer instanceof Bytes) return answer;
  if (answer instanceof Reply) return valueOf(answer.value);
  if (typeof answer === "string") return JSON.parse(answer);
  return answer instanceof ReadableStream ? new Response(answer).json() : answer;
}
