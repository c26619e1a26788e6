import type { Context } from "hono";
import { invalid, notFound, UNAUTHORIZED, type Answer, type Problem } from "../contract/problem.ts";
import type { RouteInput, RouteSpec } from "../contract/route.ts";
import { ANYONE } from "../contract/scope.ts";
import { configOf, type Config } from "../config/env.ts";
import { done, refused } from "../lib/outcome.ts";
import { canonicalAddress } from "../mail/address/address.ts";
import type { Access, Credential } from "../mailbox/account/access.ts";
import { problemResponse, responseOf, unlessKnown, withIgnored } from "./answers.ts";
import type { AnyHandler, Endpoint } from "./handlers.ts";
import { counted } from "../service/access.ts";
import { namesAnother, readCaller, type Caller } from "./caller.ts";
import { countBadKey } from "./bad-keys.ts";
import { wasMade } from "../lib/made.ts";
import { freshStub, mailboxAt, mailboxBehind, type MailboxStub } from "../service/mailbox-stub.ts";
import { notesOf } from "./request-notes.ts";
import { queryOf, siteOf } from "./request-url.ts";
import { InlineFiles } from "../service/inline-files.ts";
import { readJsonWithFiles } from "./json-with-files.ts";
import {
  announcedBytes,
  fitInput,
  jsonHeaderFault,
  jsonTypeFault,
  MAX_JSON_BYTES,
  readJson,
  USUAL_LIMIT,
  type RawInput,
} from "./request-input.ts";
import { admitSending } from "../service/submit.ts";
import { Waiting } from "../service/wait.ts";
import { waitingResponse } from "./waiting.ts";

export type AppContext = Context<{ Bindings: Env }>;

/** Query parameters that would name a mailbox, whether or not a route knows them. */
const MAILBOX_PARAMETERS: readonly string[] = ["mailbox", "mailbox[]", "address"];

/** Serves a request of the table: reads caller and input, calls the handler, and makes a response of its answer. */
export async function dispatch(c: AppContext, { spec, handler, status }: Endpoint): Promise<Response> {
  notesOf(c.req.raw).route = spec.path;
  const config = configOf(c.env);
  const caller = readCaller(c.req.raw, config);
  const ignored: string[] = [];
  const answer = await answerOf(c, config, { spec, handler, caller, ignored });
  const refuse = (problem: Problem): Promise<Response> => refusal(c, config, { problem, caller });
  if (!answer.ok) return withIgnored(await refuse(answer.error), ignored);
  const response =
    answer.value instanceof Waiting
      ? await waitingResponse(answer.value, { status, refuse })
      : unlessKnown(c.req.raw, responseOf(answer.value, status));
  return withIgnored(response, ignored);
}

/**
 * Refuses a request that no route serves. A caller without a right key gets 401, and learns nothing more. While a mailbox is paused, an
 * unknown path is refused as any other request; a wrong method is refused before that.
 */
export async function refuse(c: AppContext, problem: Problem): Promise<Response> {
  const config = configOf(c.env);
  const caller = readCaller(c.req.raw, config);
  const spec = { scopes: ANYONE, whilePaused: problem.code === "method_not_allowed" };
  const access = accessFor({ caller, spec, fault: problem, origin: originOf(c, config) });
  if (caller.kind === "nobody") return refusal(c, config, { problem: UNAUTHORIZED, caller });
  const isBound = caller.kind === "key" || c.req.query("mailbox");
  const target = await madeTargetOf(c, config, { target: isBound ? "mailbox" : "deployment" }, caller);
  const judged = target.ok ? await judge(target.value, access) : target.error;
  const isTold = caller.kind === "key" || judged?.code === "paused";
  return refusal(c, config, { problem: isTold && judged !== null ? judged : problem, caller });
}

interface Served {
  spec: RouteSpec;
  handler: AnyHandler;
  caller: Caller;
  /** Names that the route does not know; filled when the request is read. */
  ignored: string[];
}

async function answerOf(c: AppContext, config: Config, served: Served): Promise<Answer<unknown>> {
  const { spec, caller, handler, ignored } = served;
  if (spec.target !== "public" && caller.kind === "nobody") return refused(UNAUTHORIZED);
  const request = c.req.raw;
  const parts = { request, env: c.env, config, origin: originOf(c, config) };
  if (spec.target === "public") {
    const raw = await readInput(c, spec, null);
    const input = raw.ok ? fit(spec, raw.value, ignored) : raw;
    return input.ok ? call(handler, { ...parts, ignored, input: input.value }) : input;
  }
  const mailbox = await madeTargetOf(c, config, spec, caller);
  if (!mailbox.ok) return mailbox;
  const judged = { ...served, ...parts, mailbox: mailbox.value };
  if (!isLarge(request, spec)) return judgedInside(c, judged, { isCounted: false, files: null });

  const files = await admitLarge(c, judged);
  if (!files.ok) return files;
  const discard = async (): Promise<void> => files.value?.discard();
  let waiting: Waiting | null = null;
  try {
    const answer = await judgedInside(c, judged, { isCounted: true, files: files.value });
    if (answer.ok && answer.value instanceof Waiting) waiting = answer.value;
    return answer;
  } finally {
    // A message that is being accepted takes its files over.
    if (waiting === null) await discard();
    else waiting.afterwards(discard);
  }
}

/** A request whose caller showed a credential, and the mailbox that judges it. */
interface Judged extends Served {
  request: Request;
  env: Env;
  config: Config;
  origin: string;
  mailbox: MailboxStub | null;
}

/**
 * The mailbox judges the caller of a valid request in the call that does the work. Before an invalid request is refused, and
 * before a route of the deployment runs, the caller is judged here.
 */
async function judgedInside(
  c: AppContext,
  { spec, caller, handler, mailbox: named, ignored, ...parts }: Judged,
  { isCounted, files }: { isCounted: boolean; files: InlineFiles | null },
): Promise<Answer<unknown>> {
  const raw = await readInput(c, spec, files);
  const mailbox = named === null || spec.body === null ? named : freshStub(c.env, named);
  const input = raw.ok ? fit(spec, raw.value, ignored) : raw;
  const access = accessFor({ caller, spec, fault: input.ok ? null : input.error, origin: parts.origin });
  access.isCounted = isCounted;
  access.foreign = isForeign(c, caller, raw);
  if (input.ok && spec.target !== "deployment") {
    return call(handler, { ...parts, ignored, input: input.value, mailbox, access });
  }
  const judged = await judge(mailbox, access);
  if (judged !== null) return refused(judged);
  return input.ok ? call(handler, { ...parts, ignored, input: input.value }) : input;
}

/** Parses a request by the schemas of its route, and collects the names that the route does not know. */
function fit<Spec extends RouteSpec>(spec: Spec, raw: RawInput, ignored: string[]): Answer<RouteInput<Spec>> {
  const fitted = fitInput(spec, raw);
  ignored.push(...fitted.ignored);
  return fitted.input;
}

/** Whether a body is, or may be, so large that it is read only for a caller who was judged before. */
function isLarge(request: Request, spec: RouteSpec): boolean {
  const length = announcedBytes(request);
  return spec.body !== null && (length === null || length > MAX_JSON_BYTES);
}

/** Judges the caller of a large request by all but its body; answers where files in its body are stored, if it may have some. */
async function admitLarge(
  c: AppContext,
  { spec, caller, mailbox, request, env, config, origin }: Judged,
): Promise<Answer<InlineFiles | null>> {
  const raw = { ...headOf(c), body: null };
  const head = fitInput({ ...spec, body: null }, raw).input;
  const fault = head.ok ? jsonHeaderFault(request, spec.bodyLimit ?? USUAL_LIMIT) : head.error;
  const access = accessFor({ caller, spec, fault, origin });
  access.foreign = isForeign(c, caller, done(raw));
  if (spec.inlineFiles === undefined || mailbox === null) {
    const judged = await judge(mailbox, access);
    return judged === null ? done(null) : refused(judged);
  }
  const idempotencyKey = request.headers.get("Idempotency-Key");
  const admitted = await admitSending({ mailbox, access, config, idempotencyKey });
  if (!admitted.ok) return admitted;
  return done(new InlineFiles({ env, mailbox, access: counted(access) }, admitted.value.isRepeat));
}

/** The one place where a handler loses its type: the table and `HandlersOf` share their keys. */
function call(handler: AnyHandler, parts: object): Promise<Answer<unknown>> {
  return handler(parts as never);
}

async function readInput(
  c: AppContext,
  spec: RouteSpec,
  files: InlineFiles | null,
): Promise<Answer<RawInput>> {
  const body = await readBody(c.req.raw, spec, files);
  return body.ok ? done({ ...headOf(c), body: body.value }) : body;
}

async function readBody(
  request: Request,
  { body, bodyLimit = USUAL_LIMIT, inlineFiles }: RouteSpec,
  files: InlineFiles | null,
): Promise<Answer<unknown>> {
  if (body === null) return done(null);
  if (files === null || inlineFiles === undefined || request.body === null)
    return readJson(request, bodyLimit);
  const fault = jsonTypeFault(request);
  if (fault !== null) return refused(fault);
  // Room for a file is reserved for all that the rest of the body can hold.
  const bytes = Math.min(bodyLimit.bytes, announcedBytes(request) ?? Infinity);
  return readJsonWithFiles(request.body, { whole: { ...bodyLimit, bytes }, held: inlineFiles }, files.keep);
}

/** A request without its body. */
function headOf(c: AppContext): Omit<RawInput, "body"> {
  return { params: c.req.param(), query: queryOf(c.req.raw) };
}

/**
 * As `targetOf`, and refuses as the mailbox itself would where it was never created, without waking an object for it. Where a route
 * needs none, `DEFAULT_MAILBOX` need not exist yet.
 */
export async function madeTargetOf(
  c: AppContext,
  config: Config,
  spec: Pick<RouteSpec, "target">,
  caller: Caller,
): Promise<Answer<MailboxStub | null>> {
  const mailbox = targetOf(c, config, spec, caller);
  if (!mailbox.ok || mailbox.value === null) return mailbox;
  const isNeeded = caller.kind === "key" || spec.target !== "caller" || Boolean(c.req.query("mailbox"));
  const isMade = await wasMade(c.env, "Mailbox", mailbox.value);
  if (isMade && (isNeeded || (await mailbox.value.isTaken()))) return mailbox;
  if (!isNeeded) return done(null);
  return refused(caller.kind === "operator" ? notFound("Mailbox") : UNAUTHORIZED);
}

/** The mailbox that a request acts on; null where the route needs none. */
function targetOf(
  c: AppContext,
  config: Config,
  spec: Pick<RouteSpec, "target">,
  caller: Caller,
): Answer<MailboxStub | null> {
  if (caller.kind === "key") return done(mailboxBehind(c.env, caller.locator));
  if (spec.target === "deployment") return done(null);
  const named = c.req.query("mailbox") || config.defaultMailbox;
  if (named === null) {
    return spec.target === "caller"
      ? done(null)
      : refused({
          ...invalid("mailbox", "the operator key needs ?mailbox=<address>"),
          fix: "Repeat the call with ?mailbox=<address>; GET /v1/mailboxes lists the addresses.",
        });
  }
  const address = canonicalAddress(named);
  return address === null
    ? refused(invalid("mailbox", "must be an email address"))
    : done(mailboxAt(c.env, address));
}

/** Whether a key's request names another mailbox anywhere: in the query, in `to` of a read, or in the body. */
function isForeign(c: AppContext, caller: Caller, raw: Answer<RawInput>): boolean {
  if (caller.kind !== "key") return false;
  const query = raw.ok ? raw.value.query : queryOf(c.req.raw);
  const valuesOf = (names: readonly string[]): string[] =>
    query.flatMap(([name, value]) => (names.includes(name) ? value : []));
  const named = valuesOf(MAILBOX_PARAMETERS).filter((value) => value !== "");
  const body = raw.ok ? raw.value.body : null;
  if (typeof body === "object" && body !== null && "mailbox" in body && typeof body.mailbox === "string") {
    named.push(body.mailbox);
  }
  const domain = `@${configOf(c.env).mailDomain}`;
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const recipients = isRead ? valuesOf(["to"]) : [];
  // `to` filters sent mail too: only an address of this deployment is a mailbox.
  named.push(...recipients.filter((to) => canonicalAddress(to)?.endsWith(domain)));
  return named.some((address) => namesAnother(address, caller.locator));
}

/** The access of a caller to what `spec` allows; `fault` is what is wrong with the request itself. */
export function accessFor(parts: {
  caller: Caller;
  spec: Pick<RouteSpec, "scopes" | "whilePaused">;
  fault: Problem | null;
  origin: string;
}): Access {
  const { caller, spec, fault, origin } = parts;
  const credential: Credential =
    caller.kind === "key" ? { kind: "key", secretHash: caller.secretHash } : { kind: "operator" };
  const { scopes, whilePaused = false } = spec;
  return {
    credential,
    fault,
    scopes,
    whilePaused,
    foreign: false,
    upgradeUrl: upgradeUrl(origin),
  };
}

/** The refusal of a caller; null if it is admitted. Without a mailbox the caller is the operator, who was recognised already. */
async function judge(mailbox: MailboxStub | null, access: Access): Promise<Problem | null> {
  if (mailbox === null) return access.fault;
  const admitted = await mailbox.admit(access);
  return admitted.ok ? null : admitted.error;
}

/** The response of a refusal. A wrong key is counted, and too many of them are refused as such. */
export async function refusal(
  c: AppContext,
  config: Config,
  { problem, caller }: { problem: Problem; caller: Caller },
): Promise<Response> {
  notesOf(c.req.raw).refusal = problem.code;
  const wrongKey = caller.kind === "key" || (caller.kind === "nobody" && caller.presented);
  if (problem.code === "unauthorized" && wrongKey) {
    const tooMany = await countBadKey(c.req.raw, c.env, config);
    if (tooMany !== null) {
      notesOf(c.req.raw).refusal = tooMany.code;
      return problemResponse(tooMany);
    }
  }
  return problemResponse(withWayToKey(problem, config));
}

/** The problem; a 401 without a next step of its own says where this deployment gives a key. */
function withWayToKey(problem: Problem, { bootstrapEnabled }: Config): Problem {
  if (problem.code !== "unauthorized" || problem.fix !== undefined || bootstrapEnabled) return problem;
  const fix =
    "Send Authorization: Bearer <key>; POST /v1/claim/start asks a person for a mailbox and its key.";
  return { ...problem, fix };
}

/** The origin of this deployment as clients see it. */
export function originOf(c: Pick<AppContext, "req">, config: Config): string {
  return config.publicUrl ?? siteOf(c.req.raw).origin;
}

/** Where a person approves a permanent mailbox. */
export function upgradeUrl(origin: string): string {
  return `${origin}/claim`;
}
