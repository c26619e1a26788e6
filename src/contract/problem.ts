import * as z from "zod";
import type { Outcome } from "../lib/outcome.ts";
import { MAX_ATTACHMENT_BYTES } from "./limits.ts";
import type { Authentication } from "./message.ts";
import type { RefusalReason } from "./rules.ts";
import type { Scope } from "./scope.ts";

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
  sender_blocked: 422,
  sender_not_listed: 422,
  sender_not_verified: 422,
  sender_not_checked: 503,
  range_not_satisfiable: 416,
  rate_limited: 429,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  misconfigured: 503,
  mailbox_full: 507,
} as const;

export type ProblemCode = keyof typeof STATUS;

/** The most faults in one answer: a list of ten thousand wrong items has ten thousand. */
export const MAX_DETAILS = 50;

/** One fault of one field. */
const ProblemDetail = z.object({ path: z.string(), message: z.string() });
export type ProblemDetail = z.infer<typeof ProblemDetail>;

/** Members that only some refusals have. */
const ProblemExtra = z.object({
  upgrade: z.string().optional().meta({ description: "Where to get a permanent mailbox." }),
  oldest_seq: z.int().optional().meta({ description: "With 410: the oldest entry of the log that is kept." }),
  request_id: z
    .string()
    .optional()
    .meta({ description: "With 500, and with 503 of failed storage: what the log knows the request by." }),
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
  /** Of a call that waited, the JSON text of its answer if its status was sent while it waited. */
  meanwhile?: string;
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

/** Where a caller finds an id or a name that exists, by the kind of thing that was not found. */
const WHERE_FOUND = {
  Attachment:
    "Take an id from `attachments` of GET /v1/emails/<id>, or from the answer of POST /v1/attachments.",
  Claim: "Call POST /v1/claim/start and use the `session_id` and `device_code` of its answer.",
  Delivery: "Take an id from GET /v1/webhook/deliveries.",
  Domain: "Take an id from GET /v1/domains.",
  Email: "Take an id from GET /v1/inbox or GET /v1/search.",
  Endpoint: "Call a path that GET /openapi.json lists.",
  Expectation:
    "Take the `id` of the answer of POST /v1/expect: GET /v1/expect/<id> knows it for a day after its time.",
  Import: "Take the `id` of the answer of POST /v1/import: GET /v1/import/<id> knows it for 30 days.",
  Key: "Take an id from GET /v1/keys.",
  Link: "Take the number of a link from GET /v1/emails/<id>/view.",
  Mailbox: "Take an address from GET /v1/mailboxes, or make one with POST /v1/mailboxes.",
  "Refused mail": "Take an id from GET /v1/refused: it is there for 7 days.",
  Page: "Open /docs, or read /llms.txt.",
  Route: "Take a label from GET /v1/mailbox/routes.",
  Secret: "Take an id from GET /v1/totp.",
  Suppression: "Take an address from GET /v1/suppressions.",
  Thread: "Take an id from GET /v1/threads.",
} as const;

export const UNKNOWN_MAILBOX: Problem = {
  code: "not_found",
  error: "Unknown mailbox",
  fix: WHERE_FOUND.Mailbox,
};

/** A message that may be stored when its sender tries again. */
export const NOT_STORED: Problem = {
  code: "unavailable",
  error: "The message could not be stored; try again",
  retryAfterSeconds: 30,
};

export const TOO_LARGE_ATTACHMENT: Problem = {
  code: "too_large",
  error: `Attachment too large (max ${MAX_ATTACHMENT_BYTES / 1_000_000} MB)`,
  fix: `Send a file of at most ${MAX_ATTACHMENT_BYTES} bytes, or a link to it.`,
};

/** 403 of a key whose scope may not do this. A claim helps the key of a temporary mailbox, unless the call is the operator's. */
export function insufficientScope(
  scope: Scope,
  { scopes, upgradeUrl }: { scopes: readonly Scope[]; upgradeUrl: string },
): Problem {
  const isTemporary = scope === "provisional";
  const claim = `Call POST /v1/claim/start with {"name":"<name>"} and ask your person to open its verification_uri_complete (${upgradeUrl}?code=...).`;
  return {
    code: "insufficient_scope",
    error: "forbidden",
    message: `A ${scope} key may not do this`,
    ...(isTemporary ? { extra: { upgrade: upgradeUrl } } : {}),
    fix:
      isTemporary && scopes.includes("mailbox")
        ? claim
        : "Call with the operator's key: the deployment's AUTH_TOKEN.",
  };
}

/** 400 that names the field and the rule. */
export function invalid(path: string, rule: string): Problem {
  return { code: "invalid", error: `${path}: ${rule}`, details: [{ path, message: rule }] };
}

/** 404 of a path that nothing serves. */
export const NO_ENDPOINT: Problem = notFound("Endpoint");

/** 404 such as `Email not found`: the same for an unknown id and for one of another mailbox. */
export function notFound(what: keyof typeof WHERE_FOUND): Problem {
  return { code: "not_found", error: `${what} not found`, fix: WHERE_FOUND[what] };
}

/** 409. `fix` is the call to make instead, or first. */
export function conflict(error: string, fix: string): Problem {
  return { code: "conflict", error, fix };
}

/** 409 of an address that somebody else has. */
export function taken(address: string): Problem {
  return conflict(`${address} is taken`, "Repeat the call with another name.");
}

/** 410: the entry of the log is no longer kept; `oldestSeq` is the oldest that is. `fix` is the call that still works. */
export function gone(error: string, oldestSeq: number, fix: string): Problem {
  return { code: "gone", error, extra: { oldest_seq: oldestSeq }, fix };
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

const REFUSED_FIX =
  "Tell the sender that the mail is refused for good. The mailbox keeps it for 7 days: GET /v1/refused.";

/** One text for every reason, because senders read it: nobody learns by forged senders whom a mailbox allows. */
const NOT_ACCEPTED = "The mailbox accepts no mail from this sender, or only if its domain is proven (DMARC)";
const BY_REASON: Readonly<Record<RefusalReason, Problem>> = {
  blocked: { code: "sender_blocked", error: NOT_ACCEPTED },
  not_listed: { code: "sender_not_listed", error: NOT_ACCEPTED },
  not_verified: { code: "sender_not_verified", error: NOT_ACCEPTED },
};
const NOT_CHECKED: Problem = {
  code: "sender_not_checked",
  error: "The sender could not be checked, because DNS did not answer; try again",
};

/**
 * The refusal of a mail by the rules of its mailbox; temporary while DNS does not say who the sender is. That holds for a sender
 * that is not listed too: the answer would else tell who is.
 */
export function refusedByRules(
  reason: RefusalReason,
  sender: Pick<Authentication, "verdict"> | null,
): Problem {
  return reason !== "blocked" && sender?.verdict === "temperror" ? NOT_CHECKED : BY_REASON[reason];
}

/** Whether the rules of a mailbox refused a mail for good. */
export function isRefusedByRules({ code }: Pick<Problem, "code">): boolean {
  return Object.values(BY_REASON).some((problem) => problem.code === code);
}

/** Whether the mailbox keeps a mail that it refused, so that its owner can release it. */
export function isKeptAsRefused(problem: Pick<Problem, "code">): boolean {
  return problem.code === NOT_CHECKED.code || isRefusedByRules(problem);
}

interface NextStep {
  /** Whether the same call may succeed later. */
  retryable: boolean;
  fix: string;
}

/** The next step after a refusal, by its code, unless the problem has a `fix` of its own or `fixOf` knows a better one. */
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
  not_found: { retryable: false, fix: WHERE_FOUND.Endpoint },
  method_not_allowed: { retryable: false, fix: "Call with a method that the Allow header names." },
  conflict: { retryable: false, fix: "Repeat the call with another name." },
  gone: { retryable: false, fix: "Repeat the call from `oldest_seq` on." },
  too_large: { retryable: false, fix: "Send less: `error` names the limit." },
  unsupported_media_type: {
    retryable: false,
    fix: "Send JSON with Content-Type: application/json, and no Content-Encoding.",
  },
  key_reused: { retryable: false, fix: "Send this request under a new Idempotency-Key." },
  sender_blocked: { retryable: false, fix: REFUSED_FIX },
  sender_not_listed: { retryable: false, fix: REFUSED_FIX },
  sender_not_verified: { retryable: false, fix: REFUSED_FIX },
  sender_not_checked: {
    retryable: true,
    fix: "Hand the message over again later. The mailbox keeps it meanwhile: GET /v1/refused.",
  },
  range_not_satisfiable: {
    retryable: false,
    fix: "Ask for a range within the size that Content-Range names.",
  },
  rate_limited: {
    retryable: true,
    fix: "Wait for the seconds that Retry-After names, then repeat the call.",
  },
  internal: { retryable: true, fix: "Repeat the call; if it fails again, tell the operator the request_id." },
  not_implemented: {
    retryable: false,
    fix: "Ask the operator to turn sending on: see OUTBOUND in docs/configuration.md.",
  },
  unavailable: { retryable: true, fix: "Wait for the seconds that Retry-After names, then repeat the call." },
  misconfigured: { retryable: true, fix: "Tell the operator what `error` says, and repeat the call later." },
  mailbox_full: {
    retryable: false,
    fix: "Erase emails with DELETE /v1/emails/<id>, then repeat the call.",
  },
};

/** The `fix` of a refusal that passes. */
export function waitFix(seconds: number): string {
  return `Wait ${seconds} s, then repeat the call.`;
}

/** The most fields that a `fix` names. */
const MAX_NAMED_FIELDS = 5;

/** The next step, in one sentence. It names the seconds to wait and the fields to correct, where the problem knows them. */
export function fixOf(problem: Problem): string {
  const { code, fix, details = [] } = problem;
  if (fix !== undefined) return fix;
  if (code === "invalid") {
    const fields = [...new Set(details.map(({ path }) => path))].filter((path) => path !== "");
    if (fields.length > 0) {
      const named = fields.slice(0, MAX_NAMED_FIELDS).map((path) => `\`${path}\``);
      return `Correct ${named.join(", ")}, then repeat the call.`;
    }
  }
  if (code === "rate_limited" || code === "unavailable") return waitFix(retryAfterSeconds(problem) ?? 0);
  return NEXT_STEP[code].fix;
}

/** Whether the same call may succeed later. */
export function isRetryable({ code }: Problem): boolean {
  return NEXT_STEP[code].retryable;
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
    ...(isExact ? {} : { fix: fixOf(problem), retryable: isRetryable(problem) }),
  };
}

/** Retry-After of a temporary problem that states none, in seconds. */
const USUAL_RETRY_SECONDS = 30;

/** Retry-After of a problem in seconds; null if it is not temporary. */
export function retryAfterSeconds({ code, retryAfterSeconds: seconds }: Problem): number | null {
  const isPassing = STATUS[code] === STATUS.rate_limited || STATUS[code] === STATUS.unavailable;
  return seconds ?? (isPassing ? USUAL_RETRY_SECONDS : null);
}
