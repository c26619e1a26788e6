import * as z from "zod";
import { FieldFix, fieldRule } from "../contract/field-rule.ts";
import { invalid, MAX_DETAILS, type Answer, type Problem, type ProblemDetail } from "../contract/problem.ts";
import type { RouteInput, RouteSpec } from "../contract/route.ts";
import { GrowingBytes } from "../lib/growing-bytes.ts";
import { JsonBoundError, JsonScanner } from "../lib/json-scanner.ts";
import { nearName } from "../lib/near-name.ts";
import { done, refused } from "../lib/outcome.ts";
import { bodyBytes, wholeBody } from "../lib/body-bytes.ts";

/** The most bytes of a JSON body if its route states no other limit, and of a body that is read before the caller is judged. */
export const MAX_JSON_BYTES = 262_144;

/** Bounds of JSON that limit the cost of reading it. No valid body comes near them, unless its route states others. */
export const JSON_SHAPE = { depth: 32, entries: 2_000, values: 10_000 } as const;

/** The parts of a request as sent, before their schemas. */
export interface RawInput {
  params: Record<string, string>;
  query: readonly (readonly [string, string])[];
  body: unknown;
}

/** The length of a request's body in bytes, as its header fields state it; null if they do not. */
export function announcedBytes(request: Request): number | null {
  const length = request.headers.get("Content-Length") ?? "";
  if (/^\d+$/.test(length)) return Number(length);
  // Asked last, because the runtime makes a stream for the answer.
  return request.body === null ? 0 : null;
}

/** The refusal of a JSON body for its header fields; null if they are right. */
export function jsonHeaderFault(request: Request, limit: BodyLimit): Problem | null {
  const length = announcedBytes(request);
  // A body of unknown length may be empty.
  if (length === null || length === 0) return null;
  return length > limit.bytes ? beyondLimit(limit) : jsonTypeFault(request);
}

/** 415 for a body of another type than JSON; null for JSON. */
export function jsonTypeFault({ headers }: Request): Problem | null {
  const type = headers.get("Content-Type") ?? "";
  const encoding = headers.get("Content-Encoding") ?? "identity";
  const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type) && encoding === "identity";
  return isJson ? null : NO_JSON_TYPE;
}

/** The most bytes of a body, and the error of a larger one. */
export type BodyLimit = NonNullable<RouteSpec["bodyLimit"]>;

/** The limit of a route that states none. */
export const USUAL_LIMIT: BodyLimit = {
  bytes: MAX_JSON_BYTES,
  error: `Request body too large (max ${MAX_JSON_BYTES} bytes)`,
};

const NO_JSON_TYPE: Problem = {
  code: "unsupported_media_type",
  error: "Content-Type must be application/json, without Content-Encoding",
};

/** 413 of a body that is larger than the limit of its route. */
export function beyondLimit({ bytes, error, fix }: BodyLimit): Problem {
  return { code: "too_large", error, fix: fix ?? `Send a body of at most ${bytes} bytes.` };
}

/** Reads the body of a JSON route. No body at all is an empty object: clients send none where none is needed. */
export async function readJson(request: Request, limit: BodyLimit = USUAL_LIMIT): Promise<Answer<unknown>> {
  const bytes = await readBytes(request, limit.bytes);
  if (bytes === null) return refused(beyondLimit(limit));
  if (bytes.byteLength === 0) return done({});
  const fault = jsonTypeFault(request);
  if (fault !== null) return refused(fault);
  try {
    new JsonScanner({ ...JSON_SHAPE, ...limit.shape, heldBytes: limit.bytes }).scan(bytes, 0);
  } catch (error) {
    if (error instanceof JsonBoundError) return refused(beyondBound(error));
    throw error;
  }
  return parseJson(bytes);
}

/** 400 for a body that exceeds a bound. */
export function beyondBound({ message }: JsonBoundError): Problem {
  return {
    code: "invalid",
    error: `Request body ${message}`,
    details: [{ path: "", message }],
    fix: "Send a smaller body: /docs shows the body of each call.",
  };
}

/** Parses JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): Answer<unknown> {
  try {
    return done(JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)));
  } catch {
    return refused(NOT_JSON);
  }
}

/** It quotes nothing of the body, which may hold the client's secrets. */
export const NOT_JSON: Problem = {
  code: "invalid",
  error: "Request body is not valid JSON in UTF-8",
  fix: "Send one JSON object in UTF-8; /docs shows the body of each call.",
};

/**
 * Reads a body of at most `maxBytes`; null if it is longer. A body that is announced too long is not read at all. Throws
 * {@link BodyLost}.
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const announced = announcedBytes(request);
  if (announced !== null && announced > maxBytes) return null;
  if (announced !== null && announced <= MAX_WHOLE_BYTES) return wholeBody(request);
  if (request.body === null) return new Uint8Array();
  const bytes = new GrowingBytes();
  for await (const piece of bodyBytes(request.body)) {
    if (bytes.length + piece.byteLength > maxBytes) return null;
    bytes.add(piece);
  }
  return bytes.from(0);
}

/**
 * Bodies up to this size are read by the runtime in one call, a tenth of a millisecond faster than piece by piece. It
 * joins the pieces at the end, so a large one would lie in memory twice.
 */
const MAX_WHOLE_BYTES = 1_048_576;

const IN_OUR_WORDS = { error: fieldRule };

/** A request that was parsed by the schemas of its route. */
export interface Fitted<Spec extends RouteSpec> {
  input: Answer<RouteInput<Spec>>;
  /** Names of query parameters and body members that the route does not know. */
  ignored: string[];
}

/** Parses a request by the schemas of its route, or says what is wrong with each field. */
export function fitInput<Spec extends RouteSpec>(spec: Spec, raw: RawInput): Fitted<Spec> {
  const query = readQuery(spec, raw.query);
  if (query.repeated !== null) {
    return { input: refused(invalid(query.repeated, "must be given once")), ignored: [] };
  }
  const params = spec.params.safeParse(raw.params, IN_OUR_WORDS);
  const fields = raw.query.length === 0 ? fieldsWithoutQuery(spec) : readFields(spec, query.known);
  const body = spec.body === null ? null : fitBody(spec.body, raw.body);
  const ignored = [...query.unknown, ...(body?.ignored ?? [])];
  const issues = [params, fields, ...(body === null ? [] : [body.fitted])].flatMap(issuesOf);
  const [first] = issues;
  if (first !== undefined) {
    return { input: refused(faultOf(first, issues, slipIn(spec, raw, ignored))), ignored };
  }
  // Each part was parsed by the schema of this route, which is all that the type says.
  const input = {
    params: params.data,
    query: fields.data,
    body: body?.fitted.data ?? null,
  } as RouteInput<Spec>;
  return { input: done(input), ignored };
}

type QueryFields = Record<string, string | string[]>;

/** A query by the parameters that its route knows. `repeated` names a parameter that is given twice and is no list. */
function readQuery(
  spec: RouteSpec,
  sent: RawInput["query"],
): { known: QueryFields; unknown: Set<string>; repeated: string | null } {
  const known: QueryFields = {};
  const unknown = new Set<string>();
  let repeated: string | null = null;
  for (const [name, value] of sent) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!Object.hasOwn(spec.query.shape, name)) unknown.add(name);
    else if (spec.query.shape[name] instanceof z.ZodArray) known[name] = [before ?? [], value].flat();
    else if (before !== undefined) repeated ??= name;
    else known[name] = value;
  }
  return { known, unknown, repeated };
}

/** Parses a body. Members that its schema does not know are ignored. */
function fitBody(
  schema: z.ZodType,
  body: unknown,
): { fitted: z.ZodSafeParseResult<unknown>; ignored: string[] } {
  const fitted = schema.safeParse(body, IN_OUR_WORDS);
  const unknown = fitted.success
    ? []
    : fitted.error.issues.filter((issue) => issue.code === "unrecognized_keys");
  if (unknown.length === 0) return { fitted, ignored: [] };
  const known = unknown.reduce((rest, { path, keys }) => without(rest, path, new Set(keys)), body);
  return {
    fitted: schema.safeParse(known, IN_OUR_WORDS),
    ignored: unknown.flatMap(({ path, keys }) => keys.map((key) => [...path, key].join("."))),
  };
}

/** A copy of `value` without some members of the object at `path`. */
function without(value: unknown, path: readonly PropertyKey[], members: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const [step, ...rest] = path;
  const kept = Object.entries(value)
    .filter(([name]) => step !== undefined || !members.has(name))
    .map(([name, member]: [string, unknown]) => [
      name,
      name === String(step) ? without(member, rest, members) : member,
    ]);
  return Array.isArray(value) ? kept.map(([, item]) => item) : Object.fromEntries(kept);
}

/** A hint at the known name that an ignored one probably misspells; null if there is none. */
function slipIn(spec: RouteSpec, raw: RawInput, ignored: readonly string[]): string | null {
  const known = [
    ...Object.keys(spec.query.shape),
    ...(spec.body instanceof z.ZodObject ? Object.keys(spec.body.shape) : []),
  ];
  const given = new Set([...raw.query.map(([name]) => name), ...Object.keys(Object(raw.body))]);
  const missing = known.filter((name) => !given.has(name));
  for (const name of ignored.slice(0, MAX_DETAILS)) {
    const meant = nearName(name, missing);
    if (meant !== null) return `\`${name}\` is not known here: did you mean \`${meant}\`?`;
  }
  return null;
}

function readFields(spec: RouteSpec, query: QueryFields): z.ZodSafeParseResult<unknown> {
  return spec.query.safeParse(query, IN_OUR_WORDS);
}

const withoutQuery = new WeakMap<RouteSpec, z.ZodSafeParseResult<unknown>>();

/** The parsed query of a route when none was sent; it is the same each time. */
function fieldsWithoutQuery(spec: RouteSpec): z.ZodSafeParseResult<unknown> {
  const known = withoutQuery.get(spec);
  if (known !== undefined) return known;
  const fields = readFields(spec, {});
  // All requests share it.
  Object.freeze(fields.data);
  withoutQuery.set(spec, fields);
  return fields;
}

/** The refusal of an invalid request: its text names the first fault, its details all of them. `slip` hints at a misspelt name. */
function faultOf(first: z.core.$ZodIssue, issues: readonly z.core.$ZodIssue[], slip: string | null): Problem {
  const where = first.path.length === 0 ? "" : `${first.path.join(".")}: `;
  const own = fieldFixOf(first);
  // A misspelt name is the reason why a body lacks what it must have.
  const isSlip = slip !== null && own?.missing === undefined;
  const fixes = [isSlip ? null : own?.fix, slip].filter((one) => typeof one === "string");
  return {
    code: "invalid",
    error: `${where}${first.message}`,
    ...(fixes.length === 0 ? {} : { fix: fixes.join(". ") }),
    details: issues.slice(0, MAX_DETAILS).flatMap(detailsOf),
  };
}

function issuesOf(result: z.ZodSafeParseResult<unknown>): z.core.$ZodIssue[] {
  return result.success ? [] : result.error.issues;
}

/** The faults of an issue, one for each field: an issue may name several missing fields. */
function detailsOf(issue: z.core.$ZodIssue): ProblemDetail[] {
  const missing = fieldFixOf(issue)?.missing?.map((path) => ({ path, message: "is required" }));
  return missing ?? [{ path: issue.path.join("."), message: issue.message }];
}

function fieldFixOf(issue: z.core.$ZodIssue): z.output<typeof FieldFix> | null {
  if (issue.code !== "custom" || issue.params === undefined) return null;
  const read = FieldFix.safeParse(issue.params);
  return read.success ? read.data : null;
}
