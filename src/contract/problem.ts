import type { Outcome } from "../lib/outcome.ts";
import { MAX_ATTACHMENT_BYTES } from "./limits.ts";

/** Status of every refusal, in one place (wire contract, part 0). */
export const STATUS = {
  unauthorized: 401,
  wrong_mailbox: 403,
  wrong_sender: 403,
  paused: 403,
  insufficient_scope: 403,
  https_required: 403,
  foreign_origin: 403,
  sign_in_required: 403,
  challenge_failed: 403,
  invalid: 400,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media_type: 415,
  key_reused: 422,
  range_not_satisfiable: 416,
  rate_limited: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  misconfigured: 503,
  mailbox_full: 507,
} as const;

export type ProblemCode = keyof typeof STATUS;

/** One fault of one field. */
export interface ProblemDetail {
  path: string;
  message: string;
}

/** An expected refusal. `error` is what the client shows; it never holds a stack, SQL or an internal path. */
export interface Problem {
  code: ProblemCode;
  error: string;
  message?: string;
  details?: ProblemDetail[];
  /** What to do next, in one sentence. */
  fix?: string;
  retryAfterSeconds?: number;
  /** The budget that is spent, for the RateLimit headers of a 429. */
  budget?: { name: string; limit: number; windowSeconds: number };
  /** Further members of the body, such as `upgrade`. */
  extra?: Record<string, string | number>;
}

/** A value or the problem that stands in its way. */
export type Answer<T> = Outcome<T, Problem>;

export const UNAUTHORIZED: Problem = { code: "unauthorized", error: "Unauthorized" };
export const WRONG_MAILBOX: Problem = {
  code: "wrong_mailbox",
  error: "forbidden",
  message: "Key not authorized for this mailbox",
};
export const PAUSED: Problem = { code: "paused", error: "Mailbox is paused" };
export const UNKNOWN_MAILBOX: Problem = { code: "not_found", error: "Unknown mailbox" };

export const TOO_LARGE_ATTACHMENT: Problem = {
  code: "too_large",
  error: `Attachment too large (max ${MAX_ATTACHMENT_BYTES / 1_000_000} MB)`,
};

/** 403 of a key whose scope may not do this. */
export function insufficientScope(scope: string, upgradeUrl?: string): Problem {
  return {
    code: "insufficient_scope",
    error: "forbidden",
    message: `A ${scope} key may not do this`,
    ...(upgradeUrl === undefined ? {} : { extra: { upgrade: upgradeUrl } }),
  };
}

/** 400 that names the field and the rule. */
export function invalid(path: string, rule: string): Problem {
  return { code: "invalid", error: `${path}: ${rule}`, details: [{ path, message: rule }] };
}

/** 404 such as `Email not found`: the same for an unknown id and for one of another mailbox. */
export function notFound(what: string): Problem {
  return { code: "not_found", error: `${what} not found` };
}

/** 409. */
export function conflict(error: string): Problem {
  return { code: "conflict", error };
}

/** 410: what is asked for was kept once; `oldestSeq` is the first entry of the log that still is. */
export function gone(error: string, oldestSeq: number): Problem {
  return { code: "gone", error, extra: { oldest_seq: oldestSeq } };
}

/** 429: of `limit` in `windowSeconds` nothing is left until `resetSeconds` from now. */
export function rateLimited(
  name: string,
  budget: { limit: number; windowSeconds: number; resetSeconds: number },
): Problem {
  const { limit, windowSeconds, resetSeconds } = budget;
  return {
    code: "rate_limited",
    error: `Too many requests: ${name} is limited to ${limit} in ${windowSeconds} s`,
    retryAfterSeconds: resetSeconds,
    budget: { name, limit, windowSeconds },
  };
}

/** The bodies that clients compare to the letter carry nothing but what the contract shows. */
const EXACT: ReadonlySet<ProblemCode> = new Set(["unauthorized", "wrong_mailbox", "paused"]);

/** The JSON body of a problem. */
export function problemBody(problem: Problem): Record<string, unknown> {
  const { code, error, message, details, fix, extra } = problem;
  return {
    error,
    ...(EXACT.has(code) ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
    ...(fix === undefined ? {} : { fix }),
    ...extra,
  };
}
