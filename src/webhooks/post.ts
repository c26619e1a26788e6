import type { Outcome } from "../lib/outcome.ts";
import { TimeLimit } from "../lib/time-limit.ts";
import { ATTEMPT_TIMEOUT_MS } from "./schedule.ts";

/** A body is read up to this size, so that a short one leaves the connection usable; a longer one is cancelled. */
const MAX_BODY_BYTES = 65_536;

/** Characters of an answer that the log of deliveries shows. */
export const MAX_ANSWER_CHARS = 500;

/** Bytes that hold MAX_ANSWER_CHARS characters of UTF-8, whatever they are. */
const MAX_ANSWER_BYTES = MAX_ANSWER_CHARS * 4;

/** Why an attempt failed; null = it succeeded. `status`: the answer is neither 2xx nor a redirect. */
export type AttemptError = "timeout" | "connection" | "not_public" | "redirect" | "status" | null;

/** The result of one attempt. */
export interface AttemptResult {
  ok: boolean;
  /** Null when no answer came. */
  status: number | null;
  error: AttemptError;
  durationMs: number;
  /** The first characters of the body; "" if there is none. */
  answer: string;
}

/** One POST, ready to be sent; `headers` are those of `signatureHeaders`. */
export interface AttemptRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Tools of a request. */
export interface PostTools {
  fetch: typeof fetch;
  now: () => number;
  /** Ends the whole attempt; the default is that of the schedule. */
  timeoutMs?: number;
}

/** A URL that may be requested, or why it may not. */
export type CheckTarget = (url: string, limit: TimeLimit) => Promise<Outcome<string, AttemptError>>;

type AttemptOutcome = Omit<AttemptResult, "durationMs">;

function failure(error: AttemptError): AttemptOutcome {
  return { ok: false, status: null, error, answer: "" };
}

/** Reads the start of the body. Its end does not matter: the status says whether the delivery succeeded. */
async function readAnswer(response: Response, limit: TimeLimit): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const kept: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < MAX_BODY_BYTES) {
      const { done: ended, value } = await limit.race(reader.read());
      if (ended) break;
      if (bytes < MAX_ANSWER_BYTES) kept.push(value.slice(0, MAX_ANSWER_BYTES - bytes));
      bytes += value.byteLength;
    }
  } catch {
    // The body broke off, does not match its Content-Encoding or took too long: the log shows the part that came.
  }
  // Not awaited: a peer that hangs may never answer. On a body that ended it does nothing, on a broken one it rejects.
  reader.cancel().catch(() => undefined);
  const text = new TextDecoder().decode(Buffer.concat(kept));
  return Array.from(text).slice(0, MAX_ANSWER_CHARS).join("");
}

function errorOf(response: Response): AttemptError {
  if (response.ok) return null;
  return response.status >= 300 && response.status < 400 ? "redirect" : "status";
}

async function exchange(
  request: AttemptRequest,
  tools: PostTools,
  { check, limit }: { check: CheckTarget; limit: TimeLimit },
): Promise<AttemptOutcome> {
  const target = await check(request.url, limit);
  if (!target.ok) return failure(target.error);
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  // The answer is only shown: a compressed one is not worth unpacking, and may be a decompression bomb.
  headers.set("Accept-Encoding", "identity");
  // workerd's fetch must not be called as a method of another object ("Illegal invocation").
  const send = tools.fetch;
  const response = await limit.race(
    send(target.value, {
      method: "POST",
      headers,
      body: request.body,
      // Never followed: the receiver chooses the next URL, and nothing has checked it.
      redirect: "manual",
      signal: limit.signal,
    }),
  );
  const answer = await readAnswer(response, limit);
  return { ok: response.ok, status: response.status, error: errorOf(response), answer };
}

/**
 * Sends one delivery once to a URL that `check` allows, and returns its result; never rejects. 2xx succeeds, also if its body
 * then hangs or breaks; everything else fails. At most 64 KiB of the answer are read, and only its start is kept.
 */
export async function postDelivery(
  request: AttemptRequest,
  tools: PostTools,
  check: CheckTarget,
): Promise<AttemptResult> {
  const startedMs = tools.now();
  const limit = new TimeLimit({ ms: tools.timeoutMs ?? ATTEMPT_TIMEOUT_MS });
  const outcome = await exchange(request, tools, { check, limit }).catch(() =>
    // fetch does not say why it failed: host name, connection, TLS, or a malformed or oversized response head.
    failure(limit.isLate ? "timeout" : "connection"),
  );
  limit.clear();
  return { ...outcome, durationMs: Math.max(0, tools.now() - startedMs) };
}
