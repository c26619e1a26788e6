import { bodyOfProblem, textOfProblem } from "./problem.ts";

/** The service refused a request. `message` is its text. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  /** The other members of the answer's JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Null where the answer does not say when to ask again. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, body: Readonly<Record<string, unknown>>) {
    super(textOfProblem(body) ?? `The service answered ${response.status}`);
    this.status = response.status;
    this.code = typeof body.code === "string" ? body.code : "";
    this.body = body;
    const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  }

  /** Whether the mailbox is paused: then it refuses every request except to be resumed. */
  get isPause(): boolean {
    return this.status === 403 && this.body.error === "Mailbox is paused";
  }

  /** Whether it is unknown what the service did: true for every 5xx but 501 and 507, which mean that it did nothing. */
  get isFault(): boolean {
    return this.status >= 500 && this.status !== 501 && this.status !== 507;
  }
}

/** No answer came: it is not known whether the service handled the request. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Values of a query; null and "" are left out. */
export type Query = Readonly<Record<string, string | number | null>>;

/** A request besides its path. */
export interface Ask {
  query?: Query;
  method?: string;
  /** Becomes JSON. */
  json?: unknown;
  /** Goes as it is. */
  body?: Blob;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** A client of the API. It sends its key in the Authorization header only. */
export class Client {
  readonly #key: string;
  /** For the operator's key, which has no mailbox of its own. */
  readonly #mailbox: string | null;
  /** Called with each refusal before the caller gets it. */
  #heard: (refusal: Refusal) => void = () => {};

  constructor(key: string, mailbox: string | null) {
    this.#key = key;
    this.#mailbox = mailbox;
  }

  /** Sets the function that is called with each refusal. */
  onRefusal(heard: (refusal: Refusal) => void): void {
    this.#heard = heard;
  }

  /** Rejects with {@link Refusal}, {@link Unreachable}, or AbortError when `signal` says so. */
  async fetch(path: string, ask: Ask = {}): Promise<Response> {
    const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
    const response = await answered(this.#url(path, ask.query ?? {}), {
      method: ask.method ?? (body === undefined ? "GET" : "POST"),
      body,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        ...(ask.json === undefined ? {} : { "Content-Type": "application/json" }),
        ...ask.headers,
      },
      signal: ask.signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    if (response.ok) return response;
    const refusal = new Refusal(response, await bodyOfProblem(response));
    this.#heard(refusal);
    throw refusal;
  }

  /** As `fetch`, and reads the JSON: what the contract says of the route. */
  async ask<Shape>(path: string, ask: Ask = {}): Promise<Shape> {
    const response = await this.fetch(path, ask);
    try {
      return (await response.json()) as Shape;
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new Unreachable("The answer broke off", { cause: error });
    }
  }

  #url(path: string, query: Query): string {
    const named = { ...query, mailbox: this.#mailbox };
    const given = Object.entries(named).filter(([, value]) => value !== null && value !== "");
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === "" ? path : `${path}?${text}`;
  }
}

async function answered(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Unreachable("No connection to the service", { cause: error });
  }
}

/** Returns whether an error means that the caller cancelled the request. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
