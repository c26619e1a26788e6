import { errorOf, MailkeepError, redirected } from "./error.ts";
import { Lifetime } from "./lifetime.ts";
import { pause } from "./pause.ts";
import { pauseBefore } from "./retry.ts";

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Time limit of the call with all its repeats, in ms. Default: 60 s plus the call's `timeout` or `wait`; none for an upload. */
  timeoutMs?: number;
  /** The most repeats after a transient failure: 4 unless given. Only a call that may happen twice is repeated. */
  retries?: number;
  /** Further header fields, such as `Range`. */
  headers?: Readonly<Record<string, string>>;
}

/** A file to send. A stream is read once, so a call with one is never repeated. */
export type FileBody = Blob | Uint8Array | string | ReadableStream<Uint8Array>;

/** A request, before it is known which client sends it. */
export interface RequestPlan {
  method: string;
  /** From `/` on, with its query. */
  path: string;
  /** Becomes JSON; undefined for none. */
  json?: unknown;
  file?: { body: FileBody; contentType: string } | undefined;
  /** The same call under this key happens once. */
  idempotencyKey?: string | undefined;
  /** Whether the call may happen twice. */
  isRepeatable: boolean;
  /** Time limit unless the caller gives one, in ms. */
  defaultTimeoutMs: number;
}

/** The deployment and the credential of a client, and how it sends. */
export interface CoreOptions {
  url: string;
  key: string | null;
  fetch: Fetch;
  /** For calls that do not say otherwise. */
  defaults: Pick<CallOptions, "timeoutMs" | "retries">;
}

/** `fetch`, or a function that takes its place. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Repeats unless the caller says otherwise. */
const DEFAULT_RETRIES = 4;

/**
 * Whether `fetch` keeps a copy of each body for a redirect that it does not follow, as that of Node does, and takes `"error"`,
 * with which it keeps none; that of workerd does not take it.
 */
const KEEPS_COPIES = ((): boolean => {
  try {
    void new Request("http://localhost/", { redirect: "error" });
    return typeof Reflect.get(globalThis, "process")?.versions?.node === "string";
  } catch {
    return false;
  }
})();
/** A service reads this much of a body that it refuses, so that the answer arrives. */
const MAX_READ_BYTES = 64 * 1024;
/** How long a refusal of a withheld body may take, in ms: the service decides before it reads. */
const WITHHELD_TIMEOUT_MS = 5_000;

/** Sends requests of one key to one deployment, and repeats those that failed for a transient reason. */
export class Core {
  readonly url: string;
  readonly key: string | null;
  readonly #fetch: Fetch;
  readonly #defaults: CoreOptions["defaults"];

  constructor({ url, key, fetch, defaults }: CoreOptions) {
    this.url = url;
    this.key = key;
    this.#fetch = fetch;
    this.#defaults = defaults;
  }

  /** The JSON of the answer. Rejects with {@link MailkeepError}, or with the reason of the caller's signal. */
  async json<Answer>(plan: RequestPlan, options: CallOptions): Promise<Answer> {
    const lifetime = this.#lifetimeOf(plan, options);
    try {
      return await this.#repeat(lifetime, plan, options, async () => {
        const response = await this.#answered(plan, options, lifetime.signal);
        return parsed<Answer>(response, await readText(response));
      });
    } finally {
      lifetime.end();
    }
  }

  /** The answer as soon as its bytes begin. They are not held; the caller reads or cancels them. Rejects as `json`. */
  async bytes(plan: RequestPlan, options: CallOptions): Promise<Response> {
    const lifetime = this.#lifetimeOf(plan, options);
    try {
      const response = await this.#repeat(lifetime, plan, options, () =>
        this.#answered(plan, options, lifetime.signal),
      );
      lifetime.stopClock();
      return endingLifetime(response, lifetime);
    } catch (error) {
      lifetime.end();
      throw error;
    }
  }

  #lifetimeOf({ defaultTimeoutMs }: RequestPlan, { signal, timeoutMs }: CallOptions): Lifetime {
    return new Lifetime(signal, timeoutMs ?? this.#defaults.timeoutMs ?? defaultTimeoutMs);
  }

  async #repeat<Result>(
    lifetime: Lifetime,
    plan: RequestPlan,
    { retries = this.#defaults.retries ?? DEFAULT_RETRIES }: CallOptions,
    attempt: () => Promise<Result>,
  ): Promise<Result> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await attempt();
      } catch (error) {
        const reason = lifetime.reasonFor(error);
        if (reason !== error || !plan.isRepeatable || repeats >= retries || !isTransient(error)) throw reason;
        const { remainingMs, signal } = lifetime;
        const pauseMs = pauseBefore(repeats, error.retryAfterMs, { remainingMs, random: Math.random() });
        if (pauseMs === null) throw error;
        await pause(pauseMs, signal).catch(() => {
          throw lifetime.reasonFor(error);
        });
      }
    }
  }

  async #answered(plan: RequestPlan, options: CallOptions, signal: AbortSignal): Promise<Response> {
    const response = await fetchAnswer(
      this.#fetch,
      this.url + plan.path,
      this.#initOf(plan, options, signal),
    ).catch((cause: unknown) => {
      // The errors of fetch differ between runtimes.
      throw isRedirect(cause)
        ? redirected(0, null, null)
        : unreachable("No connection to the service", cause);
    });
    if (response.ok) return response;
    throw await errorOf(response);
  }

  #initOf(
    { method, json, file, idempotencyKey }: RequestPlan,
    { headers }: CallOptions,
    signal: AbortSignal,
  ) {
    const init: RequestInit & { signal: AbortSignal; duplex?: "half" } = {
      method,
      signal,
      // A redirect would send the request to somebody who was not asked.
      redirect: file !== undefined && KEEPS_COPIES ? "error" : "manual",
      headers: {
        ...(this.key === null ? {} : { Authorization: `Bearer ${this.key}` }),
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...(file === undefined ? {} : { "Content-Type": file.contentType }),
        ...headers,
      },
    };
    if (json !== undefined) init.body = JSON.stringify(json);
    if (file === undefined) return init;
    init.body = file.body as NonNullable<RequestInit["body"]>;
    // Streams need it: the answer is read after the request was sent.
    if (file.body instanceof ReadableStream) init.duplex = "half";
    return init;
  }
}

/** Whether the same call may succeed later. */
export function isTransient(error: unknown): error is MailkeepError {
  return error instanceof MailkeepError && error.retryable;
}

/**
 * The answer to a request. The service may refuse a large body before it has read it all, and closes the connection; a runtime
 * that still sends then loses the answer. Asked again with the body withheld, the service answers the same. Rejects as `fetch`.
 */
export async function fetchAnswer(
  fetch: Fetch,
  url: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  const bytes = sizeOf(init.body);
  if (bytes !== null && bytes <= MAX_READ_BYTES) return fetch(url, init);
  try {
    const response = await fetch(url, init);
    // Some runtimes lose the text of the refusal alone.
    if (!response.ok) await response.clone().arrayBuffer();
    return response;
  } catch (error) {
    const refusal = init.signal.aborted ? null : await withheldAnswer(fetch, url, { init, bytes });
    if (refusal === null) throw error;
    return refusal;
  }
}

/** The refusal of a request whose body is announced but not sent; null if there is none. */
async function withheldAnswer(
  fetch: Fetch,
  url: string,
  { init, bytes }: { init: RequestInit & { signal: AbortSignal }; bytes: number | null },
): Promise<Response | null> {
  const headers = new Headers(init.headers);
  // Browsers ignore it, and then a refusal for the size does not come.
  if (bytes !== null) headers.set("Content-Length", String(bytes));
  // Some runtimes send nothing before the first byte.
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const lifetime = new Lifetime(init.signal, WITHHELD_TIMEOUT_MS);
  const withheld: RequestInit & { duplex: "half" } = { ...init, headers, body, duplex: "half" };
  try {
    const response = await fetch(url, { ...withheld, signal: lifetime.signal });
    if (!response.ok) return response;
    await response.body?.cancel();
  } catch {
    // The service is away, or waits for the body: the first error counts.
  } finally {
    lifetime.end();
  }
  return null;
}

/** Whether fetch refused a redirect. Each runtime says so in its own words, some in the cause. */
function isRedirect(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^unexpected ?redirect|redirect mode/i.test(error.message) || isRedirect(error.cause);
}

/** The size of a body; null for a stream. */
function sizeOf(body: RequestInit["body"]): number | null {
  if (typeof body === "string") return new TextEncoder().encode(body).length;
  if (body instanceof Blob) return body.size;
  if (body instanceof Uint8Array) return body.byteLength;
  return body instanceof ReadableStream ? null : 0;
}

function unreachable(message: string, cause: unknown): MailkeepError {
  return new MailkeepError({ status: 0, code: "unreachable", message, retryable: true, cause });
}

async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw unreachable("The answer broke off", cause);
  }
}

function parsed<Answer>({ status, headers }: Response, text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch (cause) {
    throw new MailkeepError({
      status,
      code: "bad_answer",
      message: "The answer is not JSON",
      fix: "Check `url`: something else than the service answers there.",
      requestId: headers.get("X-Request-Id"),
      cause,
    });
  }
}

/** A response whose bytes end `lifetime` when they end. */
function endingLifetime(response: Response, lifetime: Lifetime): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    lifetime.end();
    return response;
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(lifetime.reasonFor(unreachable("The answer broke off", error)));
        }
        lifetime.end();
      },
      cancel(reason) {
        lifetime.end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
