import * as z from "zod";
import { Refusal } from "../refusal.ts";
import { CloudflareFailure, oneLine, type FailureKind, type FailureParts } from "./failure.ts";
import type { Permission } from "./permissions.ts";

/** One call of Cloudflare's REST API. */
export interface Call<Answer> {
  /** The action in words, to continue "The token may not …". */
  what: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From `/` on, without a query; names in it are percent-encoded with {@link path}. */
  path: string;
  query?: Readonly<Record<string, string>>;
  /** Becomes JSON. */
  body?: unknown;
  /** The permission that the token needs; null where any token may. */
  permission: Permission | null;
  /** The shape of `result` in the answer. Members that it does not name are dropped. */
  answer: z.ZodType<Answer>;
}

export interface ApiOptions {
  /** Ends in no slash. */
  baseUrl: string;
  token: string;
  /** Ends calls and pauses. */
  signal?: AbortSignal | undefined;
  /** Replaces the global `fetch`, in tests. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Replaces waiting so many ms, in tests. */
  pause?: ((ms: number) => Promise<void>) | undefined;
}

/** The address of Cloudflare's API; wrangler reads the same variable. */
const BASE_URL_VARIABLE = "CLOUDFLARE_API_BASE_URL";
export const DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4";

const CALL_TIMEOUT_MS = 30_000;
/** How often a call is repeated after a transient failure. */
const MAX_REPEATS = 4;
/** The pause before the first repeat; it doubles with each. */
const FIRST_PAUSE_MS = 500;
/** Cloudflare's window of its rate limit is five minutes. A longer wait is left to the operator. */
const LONGEST_PAUSE_MS = 60_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const PAGE_ENTRIES = 50;
const MAX_PAGES = 200;

const ENVELOPE = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number().optional(), message: z.string().optional() })).nullish(),
  result: z.unknown(),
  result_info: z.object({ page: z.number().optional(), total_pages: z.number().optional() }).nullish(),
});
type Envelope = z.infer<typeof ENVELOPE>;
const DELETED: Envelope = { success: true, errors: [], result: null };

/** Error codes for a token that is malformed, of the wrong kind, unknown, expired or disabled. */
const TOKEN_CODES: ReadonlySet<number> = new Set([1000, 1001, 6003, 6111, 9106, 9103, 10001]);
/** Error codes of a missing permission are also used for a login that may not be used here and for a wrong token; the messages differ. */
const TOKEN_WORDS = /authentication scheme|invalid access token/i;

/** A path whose names are percent-encoded, so that no name can change the path. */
export function path(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return parts.reduce((text, part, at) => `${text}${encodeURIComponent(names[at - 1] ?? "")}${part}`);
}

/** The address and the token of the API. Throws a {@link Refusal} without a token, or for an address without TLS, to which the token must not go. */
export function apiSettings(env: Readonly<Record<string, string | undefined>>): {
  baseUrl: string;
  token: string;
} {
  const token = env.CLOUDFLARE_API_TOKEN?.trim();
  if (!token) {
    throw new Refusal(
      "CLOUDFLARE_API_TOKEN is not set: it must hold an API token of your Cloudflare account (docs/deploy.md#the-token)",
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Refusal("CLOUDFLARE_API_TOKEN has blanks or other characters that no token has: copy it again");
  }
  const text = env[BASE_URL_VARIABLE] || DEFAULT_BASE_URL;
  const url = URL.parse(text);
  const isLocal = url !== null && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url === null || !(url.protocol === "https:" || (url.protocol === "http:" && isLocal))) {
    throw new Refusal(`${BASE_URL_VARIABLE} must be an https address: the token is sent there`);
  }
  return { baseUrl: text.replace(/\/+$/, ""), token };
}

/** A client of Cloudflare's REST API. Every failure is a {@link CloudflareFailure}. */
export class CloudflareApi {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /**
   * The result of a call. The call is repeated after a transient failure, unless it creates something: then the caller must
   * look up first whether the thing was created.
   */
  async call<Answer>(call: Call<Answer>): Promise<Answer> {
    const { result } = await this.#envelope(call);
    return parsed(call, result);
  }

  /** As `call`, but null if the thing does not exist. */
  async find<Answer>(call: Call<Answer>): Promise<Answer | null> {
    try {
      return await this.call(call);
    } catch (error) {
      if (error instanceof CloudflareFailure && error.kind === "not_found") return null;
      throw error;
    }
  }

  /** The entries of all pages of a list. */
  async list<Entry>(call: Omit<Call<Entry>, "answer"> & { entry: z.ZodType<Entry> }): Promise<Entry[]> {
    const { entry, ...rest } = call;
    const answer = z.array(entry);
    const entries: Entry[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const query = { ...rest.query, page: String(page), per_page: String(PAGE_ENTRIES) };
      const { result, result_info: info } = await this.#envelope({ ...rest, query, answer });
      entries.push(...parsed({ ...rest, answer }, result ?? []));
      if (page >= (info?.total_pages ?? 1)) break;
    }
    return entries;
  }

  async #envelope(call: Call<unknown>): Promise<Envelope> {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await this.#attempt(call);
      } catch (error) {
        if (!(error instanceof CloudflareFailure) || repeats >= MAX_REPEATS) throw error;
        const isRepeatable = call.method !== "POST" || error.kind === "rate";
        const pauseMs = Math.max(error.parts.retryAfterMs ?? 0, FIRST_PAUSE_MS * 2 ** repeats);
        if (!error.isTransient || !isRepeatable || pauseMs > LONGEST_PAUSE_MS) throw error;
        await this.pause(pauseMs);
      }
    }
  }

  async #attempt(call: Call<unknown>): Promise<Envelope> {
    const { status, headers, text } = await this.#sent(call);
    // A deletion may be answered without a body.
    const envelope = text === "" && call.method === "DELETE" ? DELETED : envelopeOf(text);
    if (status >= 200 && status < 300 && envelope?.success === true) return envelope;
    throw new CloudflareFailure(failureOf(call, { status, headers, envelope }));
  }

  async #sent(call: Call<unknown>): Promise<{ status: number; headers: Headers; text: string }> {
    const { baseUrl, token, signal, fetch: send = fetch } = this.#options;
    const query = new URLSearchParams(call.query).toString();
    const limit = AbortSignal.timeout(CALL_TIMEOUT_MS);
    try {
      const response = await send(`${baseUrl}${call.path}${query === "" ? "" : `?${query}`}`, {
        method: call.method,
        headers: {
          Authorization: `Bearer ${token}`,
          ...(call.body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        // The token belongs to this address only.
        redirect: "manual",
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      return { status: response.status, headers: response.headers, text: await boundedText(response) };
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw new CloudflareFailure(
        { ...NOTHING, kind: "transient", what: call.what, permission: call.permission, said: "no answer" },
        error,
      );
    }
  }

  /** Waits between two tries of a call. */
  pause(ms: number): Promise<void> {
    const { pause, signal } = this.#options;
    return pause === undefined ? pauseUnlessAborted(ms, signal) : pause(ms);
  }
}

const NOTHING = { status: null, codes: [], said: "", retryAfterMs: null };

function failureOf(
  { what, permission }: Call<unknown>,
  { status, headers, envelope }: { status: number; headers: Headers; envelope: Envelope | null },
): FailureParts {
  const errors = envelope?.errors ?? [];
  const codes = errors.flatMap(({ code }) => code ?? []);
  const said = oneLine(errors.map(({ message }) => message ?? "").join("; "));
  const kind = kindOf(status, codes, said);
  return { kind, what, status, codes, said, permission, retryAfterMs: retryAfterMs(headers) };
}

function kindOf(status: number, codes: readonly number[], said: string): FailureKind {
  if (status === 429) return "rate";
  if (status >= 500) return "transient";
  if (TOKEN_WORDS.test(said) || (status !== 404 && codes.some((code) => TOKEN_CODES.has(code))))
    return "token";
  if (status === 401 || status === 403)
    return codes.length === 0 || isAboutRights(codes) ? "permission" : "refused";
  if (status === 404) return "not_found";
  return codes.length > 0 ? "refused" : "unexpected";
}

/** Cloudflare's error codes for a call that the token may not make. Other codes with status 403 come from the product itself. */
function isAboutRights(codes: readonly number[]): boolean {
  return codes.some((code) => [10000, 9109, 10023, 1016].includes(code));
}

function envelopeOf(text: string): Envelope | null {
  try {
    const read = ENVELOPE.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    // Not JSON, such as the error page of a proxy.
    return null;
  }
}

function parsed<Answer>(call: Pick<Call<Answer>, "what" | "permission" | "answer">, result: unknown): Answer {
  const read = call.answer.safeParse(result);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const said = oneLine(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
  const { what, permission } = call;
  throw new CloudflareFailure({ ...NOTHING, kind: "unexpected", what, permission, status: 200, said });
}

/** Seconds, as Cloudflare writes it; null for anything else. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get("Retry-After") ?? "";
  return /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : null;
}

/** The text of an answer; rejects if it is larger than an answer of the API can be. */
export async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error("The answer is too large");
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function pauseUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
