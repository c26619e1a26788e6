import type { ProblemCode } from "./api.ts";

/** `unreachable`: no answer came. `timeout`: the time limit of the call was over. `bad_answer`: the answer is not the service's. */
export type ClientCode = "unreachable" | "timeout" | "bad_answer";

/** The members of an error. */
export interface ErrorParts {
  /** HTTP status; 0 if no answer came. */
  status: number;
  code: ProblemCode | ClientCode | "";
  message: string;
  field?: string | null;
  fix?: string | null;
  retryable?: boolean;
  retryAfterMs?: number | null;
  requestId?: string | null;
  body?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** The service refused a call, or could not be asked. */
export class MailkeepError extends Error {
  override readonly name = "MailkeepError";
  /** HTTP status; 0 if no answer came. */
  readonly status: number;
  /** Decide by it. "" for an answer that is not the service's own. */
  readonly code: ProblemCode | ClientCode | "";
  /** The field that is wrong, such as `attachments.0.filename`; null if none is named. */
  readonly field: string | null;
  /** The next step, in one sentence; null if none is known. */
  readonly fix: string | null;
  /** Whether the same call may succeed later with nothing changed. */
  readonly retryable: boolean;
  /** How long to wait before the next try, in ms; null if the service does not say. */
  readonly retryAfterMs: number | null;
  /** The id by which the operator finds the request in the log; null without an answer. */
  readonly requestId: string | null;
  /** The JSON of the refusal, with members such as `upgrade`; empty without one. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(parts: ErrorParts) {
    super(parts.message, { cause: parts.cause });
    this.status = parts.status;
    this.code = parts.code;
    this.field = parts.field ?? null;
    this.fix = parts.fix ?? null;
    this.retryable = parts.retryable ?? false;
    this.retryAfterMs = parts.retryAfterMs ?? null;
    this.requestId = parts.requestId ?? null;
    this.body = parts.body ?? {};
  }
}

/** Events between two that were delivered are lost to this client: the log no longer has them, or is another log. */
export class GapError extends Error {
  override readonly name = "GapError";
  /** `seq` of the last event that was delivered. */
  readonly after: number;
  /** `seq` of the oldest event that the log has; null if unknown. Go on with `after: oldestSeq - 1`. */
  readonly oldestSeq: number | null;

  constructor(message: string, gap: { after: number; oldestSeq: number | null; cause?: unknown }) {
    super(message, { cause: gap.cause });
    this.after = gap.after;
    this.oldestSeq = gap.oldestSeq;
  }
}

/** Statuses of proxies and of the service that pass. */
const PASSING = [408, 429, 500, 502, 503, 504];

/** The error of an answer that is no success. Reads its body. */
export async function errorOf(response: Response): Promise<MailkeepError> {
  const { status, headers } = response;
  const body = await jsonOf(response);
  const requestId = headers.get("X-Request-Id");
  if (status === 0 || (status >= 300 && status < 400))
    return redirected(status, headers.get("Location"), requestId);
  return new MailkeepError({
    status,
    code: codeOf(status, body),
    message: textOf(body.message) ?? textOf(body.error) ?? `The service answered ${status}`,
    field: fieldOf(body.details),
    fix: textOf(body.fix) ?? headers.get("Mailkeep-Fix"),
    retryable: typeof body.retryable === "boolean" ? body.retryable : PASSING.includes(status),
    retryAfterMs: retryAfterMs(headers.get("Retry-After"), Date.now()),
    requestId,
    body,
  });
}

/** The error of a redirect, to `place` where that is known. Nothing is sent there. */
export function redirected(status: number, place: string | null, requestId: string | null): MailkeepError {
  return new MailkeepError({
    status,
    code: "bad_answer",
    message: `The service answered with a redirect${place === null ? "" : ` to ${place}`}`,
    fix: "Give the address that it leads to as `url`.",
    requestId,
  });
}

/** A wait in ms, from seconds or a date (RFC 9110 §10.2.3); null for a header that says neither. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** Two refusals have no `code`, because clients compare their bodies to the letter. */
function codeOf(status: number, { code, error }: Readonly<Record<string, unknown>>): ProblemCode | "" {
  if (typeof code === "string") return code as ProblemCode;
  if (status !== 403) return "";
  return error === "Mailbox is paused" ? "paused" : error === "forbidden" ? "wrong_mailbox" : "";
}

/** `path` of the first fault. */
function fieldOf(details: unknown): string | null {
  const [first]: unknown[] = Array.isArray(details) ? details : [];
  return typeof first === "object" && first !== null ? textOf(Reflect.get(first, "path")) : null;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The object in the body; empty for the answer of a proxy, which is not JSON. */
async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) {
    await response.body?.cancel().catch(() => {});
    return {};
  }
  const body: unknown = await response.json().catch(() => null);
  return typeof body === "object" && body !== null ? { ...body } : {};
}
