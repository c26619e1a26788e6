import { done, refused, type Outcome } from "../lib/outcome.ts";
import { checkPublicUrl, resolution, type Resolve } from "../lib/public-url.ts";
import { ATTEMPT_TIMEOUT_MS } from "./schedule.ts";

/** A body is read this far, so that a short one leaves the connection usable, then cancelled (T22). */
const MAX_BODY_BYTES = 65_536;

/** What the log of deliveries shows of an answer (wire contract, part 3). */
export const MAX_ANSWER_CHARS = 500;

/** Holds that many characters of any UTF-8 text. */
const MAX_ANSWER_BYTES = MAX_ANSWER_CHARS * 4;

/** Why an attempt failed; `status`: an answer that is neither 2xx nor a redirect. Null exactly when it did not fail. */
export type AttemptError = "timeout" | "connection" | "not_public" | "redirect" | "status" | null;

/** What one attempt came to. */
export interface AttemptResult {
  ok: boolean;
  /** Null when no answer came. */
  status: number | null;
  error: AttemptError;
  durationMs: number;
  /** The first characters of the body, "" where there is none. */
  answer: string;
}

/** One POST, ready to be sent; `headers` are those of `signatureHeaders`. */
export interface AttemptRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What an attempt may use. `resolve` is null where the network itself refuses addresses that are not public. */
export interface AttemptTools {
  fetch: typeof fetch;
  now: () => number;
  allowPrivate: boolean;
  resolve: Resolve | null;
  /** Ends the whole attempt; as the schedule says unless a test is in a hurry. */
  timeoutMs?: number;
}

type Verdict = Omit<AttemptResult, "durationMs">;

/** The end of an attempt's time. `race` ends a wait that does not heed the signal. */
interface Deadline {
  signal: AbortSignal;
  race: <T>(work: Promise<T>) => Promise<T>;
}

function failure(error: AttemptError): Verdict {
  return { ok: false, status: null, error, answer: "" };
}

/** The start of the body. Its end does not matter: whether a delivery succeeded is known from the status. */
async function readAnswer(response: Response, deadline: Deadline): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const kept: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < MAX_BODY_BYTES) {
      const { done: ended, value } = await deadline.race(reader.read());
      if (ended) break;
      if (bytes < MAX_ANSWER_BYTES) kept.push(value.slice(0, MAX_ANSWER_BYTES - bytes));
      bytes += value.byteLength;
    }
  } catch {
    // Cut off, not what its Content-Encoding says, or out of time: what came is all there is to show.
  }
  // Not awaited: a peer that hangs may never let go. On a body that ended it does nothing, on a broken one it rejects.
  reader.cancel().catch(() => undefined);
  const text = new TextDecoder().decode(Buffer.concat(kept));
  return Array.from(text).slice(0, MAX_ANSWER_CHARS).join("");
}

function errorOf(response: Response): AttemptError {
  if (response.ok) return null;
  return response.status >= 300 && response.status < 400 ? "redirect" : "status";
}

/** Checked at each attempt: the rules, the flag and the name's addresses may have changed since the URL was set (T18). */
async function targetOf(
  url: string,
  tools: AttemptTools,
  deadline: Deadline,
): Promise<Outcome<string, AttemptError>> {
  const target = checkPublicUrl(url, tools);
  if (!target.ok) return refused("not_public");
  const { href, hostname } = target.value;
  if (tools.allowPrivate || tools.resolve === null) return done(href);
  const leads = await deadline.race(resolution(hostname, tools.resolve));
  if (leads === "public") return done(href);
  return refused(leads === "not_public" ? "not_public" : "connection");
}

async function exchange(request: AttemptRequest, tools: AttemptTools, deadline: Deadline): Promise<Verdict> {
  const target = await targetOf(request.url, tools, deadline);
  if (!target.ok) return failure(target.error);
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  // The answer is thrown away: nothing is worth unpacking, and a packed one may be a bomb.
  headers.set("Accept-Encoding", "identity");
  // workerd's fetch must not be called as a method of another object ("Illegal invocation").
  const send = tools.fetch;
  const response = await deadline.race(
    send(target.value, {
      method: "POST",
      headers,
      body: request.body,
      // Never followed: the next hop is the receiver's choice, and nobody has checked it (T19).
      redirect: "manual",
      signal: deadline.signal,
    }),
  );
  const answer = await readAnswer(response, deadline);
  return { ok: response.ok, status: response.status, error: errorOf(response), answer };
}

/**
 * Sends one delivery once and says what came of it; never rejects. 2xx succeeds, also when its body then hangs or breaks;
 * everything else fails. At most 64 KiB of the answer are read, and nothing but its start is kept.
 */
export async function attemptDelivery(request: AttemptRequest, tools: AttemptTools): Promise<AttemptResult> {
  const startedMs = tools.now();
  const expired = Promise.withResolvers<never>();
  // Its own handler: nobody may be waiting when the time is up.
  expired.promise.catch(() => undefined);
  const controller = new AbortController();
  // Not AbortSignal.timeout: its timer outlives the attempt and keeps the actor in memory.
  const timer = setTimeout(() => {
    controller.abort();
    expired.reject(new Error("timeout"));
  }, tools.timeoutMs ?? ATTEMPT_TIMEOUT_MS);
  const deadline: Deadline = {
    signal: controller.signal,
    race: (work) => Promise.race([work, expired.promise]),
  };
  const verdict = await exchange(request, tools, deadline).catch(() =>
    // fetch tells no more than that it failed: name, connection, TLS, malformed or oversized head.
    failure(controller.signal.aborted ? "timeout" : "connection"),
  );
  clearTimeout(timer);
  return { ...verdict, durationMs: Math.max(0, tools.now() - startedMs) };
}
