import type * as z from "zod";
import type { FakeToken } from "./state.ts";

/** An answer of the API before it is JSON. */
export interface Answer {
  status: number;
  result: unknown;
  errors: { code: number; message: string }[];
  info?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Whether it is sent without a body. */
  isEmpty?: boolean;
}

/** A call as a route sees it. */
export interface FakeCall {
  method: string;
  /** The parts of the path that the route left open. */
  parts: string[];
  query: URLSearchParams;
  /** The parsed JSON; undefined for none or for a form. */
  body: unknown;
  form: FormData | null;
  token: FakeToken;
}

/** Ends a call with an error in Cloudflare's shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function ok(result: unknown, info?: Record<string, unknown>): Answer {
  return { status: 200, result, errors: [], ...(info && { info }) };
}

/** A page of a list, as the query asks for it. */
export function paged(entries: readonly unknown[], query: URLSearchParams): Answer {
  const page = Number(query.get("page") ?? 1);
  const perPage = Number(query.get("per_page") ?? 20);
  if (!Number.isInteger(page) || page < 1 || !Number.isInteger(perPage) || perPage < 1 || perPage > 1_000) {
    throw new ApiError(400, 1004, "page and per_page must be numbers within their limits");
  }
  return ok(entries.slice((page - 1) * perPage, page * perPage), {
    page,
    per_page: perPage,
    count: Math.min(perPage, entries.length),
    total_count: entries.length,
    total_pages: Math.max(1, Math.ceil(entries.length / perPage)),
  });
}

/** The body in its shape. Unknown and missing members are 400. */
export function bodyOf<T>(call: FakeCall, shape: z.ZodType<T>): T {
  const read = shape.safeParse(call.body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ApiError(
    400,
    10001,
    `Invalid request body: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
  );
}

/** Requires one of these permission groups. */
export function requires(call: FakeCall, ...groups: readonly string[]): void {
  if (groups.some((group) => call.token.groups.has(group))) return;
  throw new ApiError(403, 10000, "Authentication error");
}
