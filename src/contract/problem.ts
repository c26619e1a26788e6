import * as z from "zod";
import type { Outcome } from "../lib/outcome.ts";
import { MAX_ATTACHMENT_BYTES } from "./limits.ts";

/** Status of every refusal. */
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
const ProblemDetail = z.object({ path: z.string(), message: z.string() });
export type ProblemDetail = z.infer<typeof ProblemDetail>;

/** Members that only some refusals have. */
const ProblemExtra = z.object({
  upgrade: z.string().optional().meta({ description: "Where to get a permanent mailbox." }),
  oldest_seq: z.int().optional().meta({ description: "With 410: the oldest entry of the log that is kept." }),
  request_id: z.string().optional().meta({ description: "With 500: what the log knows the request by." }),
  full: z.boolean().optional().meta({ description: "The mailbox has no room now." }),
});

/** The body of every refusal. */
export const ProblemBody = z
  .object({
    error: z.string(),
    code: z
      .enum(Object.keys(STATUS) as ProblemCode[])
      .optional()
      .meta({ description: "Left out where a mailbox is paused, and where a key is of another mailbox." }),
    message: z.string().optional(),
    details: z.array(ProblemDetail).optional().meta({ description: "What is wrong, field by field." }),
    fix: z.string().optional().meta({ description: "What to do next; also in the header Mailkeep-Fix." }),
    retryable: z.boolean().optional().meta({ description: "Whether the same call may succeed later." }),
    ...ProblemExtra.shape,
  })
  .meta({ id: "Problem" });
export type ProblemBody = z.infer<typeof ProblemBody>;

/** An expected refusal. `error` is what the client shows; it never holds a stack, SQL or an internal path. */
export interface Problem {
  code: ProblemCode;
  error: string;
  message?: string;
  details?: ProblemDetail[];
  /** The next step, in one sentence; by default that of the code. */
  fix?: string;
  retryAfterSeconds?: number;
  /** The budget that is spent, for the RateLimit headers of a 429. */
  budget?: { name: string; limit: number; windowSeconds: number };
  /** Further members of the body, such as `upgrade`. */
  extra?: z.infer<typeof ProblemExtra>;
  /** Further header fields of the response, such as `Allow`. */
  headers?: Record<string, string>;
}

/** A value, or why there is none. */
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
    ...(upgradeUrl === undefined
      ? { fix: "Call with the operator's key: the deployment's AUTH_TOKEN." }
      : {
          extra: { upgrade: upgradeUrl },
          fix: "Call POST /v1/claim/start: a person who approves it gives you a permanent mailbox.",
        }),
  };
}

/** 400 that names the field and the rule. */
export function invalid(path: string, rule: string): Problem {
  return { code: "invalid", error: `${path}: ${rule}`, details: [{ path, message: rule }] };
}

/** 404 of a path that nothing serves. */
export const NO_ENDPOINT: Problem = {
  code: "not_found",
  error: "Endpoint not found",
  fix: "GET /openapi.json lists every endpoint.",
};

/** 404 such as `Email not found`: the same for an unknown id and for one of another mailbox. */
export function notFound(what: string): Problem {
  return { code: "not_found", error: `${what} not found` };
}

/** 409. */
export function conflict(error: string): Problem {
  return { code: "conflict", error };
}

/** 410: the entry of the log is no longer kept; `oldestSeq` is the oldest that is. */
export function gone(error: string, oldestSeq: number): Problem {
  return { code: "gone", error, extra: { oldest_seq: oldestSeq } };
}

/** 429: the budget of `limit` calls in `windowSeconds` is spent, and is renewed in `resetSeconds`. */
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

interface NextStep {
  /** Whether the same call may succeed later. */
  retryable: boolean;
  fix: string;
}

/** The next step after a refusal, by its code, unless the problem has a `fix` of its own. */
const NEXT_STEP: Readonly<Record<ProblemCode, NextStep>> = {
  unauthorized: {
    retryable: false,
    fix: "Send Authorization: Bearer <key>; POST /v1/bootstrap gives a temporary mailbox and its key.",
  },
  wrong_mailbox: {
    retryable: false,
    fix: "Leave the other address out, or call with the key of the mailbox that it names.",
  },
  wrong_sender: { retryable: false, fix: "Leave `from` out: the mailbox's own address stands in its place." },
  paused: { retryable: false, fix: "Call PATCH /v1/mailbox/resume, then repeat this call." },
  insufficient_scope: { retryable: false, fix: "Call with the key of a permanent mailbox." },
  https_required: { retryable: false, fix: "Repeat the call over https." },
  foreign_origin: { retryable: false, fix: "Do this on a page of the deployment itself." },
  sign_in_required: {
    retryable: false,
    fix: "Sign in on the page of the claim. A program calls POST /operator/session, then repeats this call with the cookie of that answer, and its `token` in the header Mailkeep-Session.",
  },
  challenge_failed: { retryable: false, fix: "Load the page of the claim again and solve its challenge." },
  invalid: { retryable: false, fix: "Correct what `error` names, then repeat the call." },
  not_found: { retryable: false, fix: "List what there is, and call with an id of that list." },
  method_not_allowed: { retryable: false, fix: "Call with a method that the Allow header names." },
  conflict: { retryable: false, fix: "Choose another name, or end what `error` names first." },
  gone: { retryable: false, fix: "Call again from `oldest_seq` on." },
  too_large: { retryable: false, fix: "Send less: `error` names the limit." },
  unsupported_media_type: {
    retryable: false,
    fix: "Send JSON with Content-Type: application/json, and no Content-Encoding.",
  },
  key_reused: { retryable: false, fix: "Send this request under a new Idempotency-Key." },
  range_not_satisfiable: {
    retryable: false,
    fix: "Ask for a range within the size that Content-Range names.",
  },
  rate_limited: { retryable: true, fix: "Repeat the call after the seconds that Retry-After names." },
  internal: { retryable: true, fix: "Repeat the call; if it fails again, tell the operator the request_id." },
  not_implemented: {
    retryable: false,
    fix: "Ask the operator to turn sending on: see OUTBOUND in docs/configuration.md.",
  },
  unavailable: { retryable: true, fix: "Repeat the call after the seconds that Retry-After names." },
  misconfigured: { retryable: true, fix: "Tell the operator what `error` says, and repeat the call later." },
  mailbox_full: {
    retryable: false,
    fix: "Erase emails with DELETE /v1/emails/<id>, then repeat the call.",
  },
};

/** The next step, in one sentence. */
export function fixOf({ code, fix }: Problem): string {
  return fix ?? NEXT_STEP[code].fix;
}

/** Clients compare the bodies of these to the letter, so they get no further members. */
const EXACT: ReadonlySet<ProblemCode> = new Set(["wrong_mailbox", "paused"]);

/** The JSON body of a problem. */
export function problemBody(problem: Problem): ProblemBody {
  const { code, error, message, details, extra } = problem;
  const isExact = EXACT.has(code);
  return {
    error,
    ...(isExact ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(details === undefined ? {} : { details }),
    ...extra,
    ...(isExact ? {} : { fix: fixOf(problem), retryable: NEXT_STEP[code].retryable }),
  };
}

/** Retry-After of a temporary problem that states none, in seconds. */
const USUAL_RETRY_SECONDS = 30;

/** Retry-After of a problem in seconds; null if it is not temporary. */
export function retryAfterSeconds({ code, retryAfterSeconds: seconds }: Problem): number | null {
  const isPassing = STATUS[code] === STATUS.rate_limited || STATUS[code] === STATUS.unavailable;
  return seconds ?? (isPassing ? USUAL_RETRY_SECONDS : null);
}
