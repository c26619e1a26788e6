import * as z from "zod";
import { MAX_PAGE_SIZE } from "../../../contract/parameters.ts";
import { invalid, type Answer } from "../../../contract/problem.ts";
import { done } from "../../../lib/outcome.ts";
import type { McpCall } from "../call.ts";
import { cursor, DEFAULT_WAIT_SECONDS, from, MAX_WAIT_SECONDS, timeoutSeconds } from "../inputs.ts";
import { shownAddress, summaryOf } from "../mail-view.ts";
import { Summary } from "../shapes.ts";
import { tool, type ToolContext } from "../tool.ts";
import { AGAIN, waitFor } from "../waiting.ts";

/** The most seconds of one `GET /v1/code`, and of one `GET /v1/changes`. */
const CODE_POLL_SECONDS = 55;
const CHANGES_POLL_SECONDS = 25;

/** A code that is older was asked for by an earlier sign-in. */
const RECENT_CODE_SECONDS = 600;
/** The mail that somebody waits for may arrive before the call does. */
const RECENT_MAIL_MS = 60_000;

/** A code, a link or both; or a null code, and how long none came. */
const CodeOutput = z.object({
  code: z.string().nullable(),
  link: z.string().nullable().optional(),
  from: z.string().optional(),
  sender_verified: z.boolean().optional(),
  email_id: z.string().optional(),
  waited_seconds: z.int().optional(),
  expect: z.string().optional(),
  address: z.string().optional(),
  rejected: z
    .array(z.object({ email_id: z.string(), reason: z.string() }))
    .optional()
    .meta({ description: "Other mail with a code; never use it" }),
});
type CodeOutput = z.input<typeof CodeOutput>;

const CodeInput = z.object({
  from,
  timeout_seconds: z
    .number()
    .min(1, "must be at least 1")
    .optional()
    .meta({ type: "integer", minimum: 1, maximum: MAX_WAIT_SECONDS, default: DEFAULT_WAIT_SECONDS }),
  since: z.string().optional().meta({ description: "ISO 8601; default 10 minutes ago" }),
  from_domain: z.string().optional().meta({ description: "Only proven mail of this domain counts" }),
  strict: z.boolean().optional().meta({ description: "With from_domain; false: From need not be proven" }),
  expect: z.string().optional(),
});
type CodeInput = z.output<typeof CodeInput>;

/** A verification code, as soon as it arrives. */
export const waitForCode = tool({
  name: "wait_for_code",
  route: "code",
  input: CodeInput,
  output: CodeOutput,
  reads: true,
  waits: true,
  async run(call, asked, context) {
    const { from_domain, expect, strict } = asked;
    if (strict !== undefined && from_domain === undefined)
      return call.refuse("code", invalid("strict", "must be left out without from_domain"));
    if (from_domain === undefined && expect === undefined) return anyCode(call, asked, context);
    for (const name of ["from", "since"] as const)
      if (asked[name] !== undefined)
        return call.refuse("code", invalid(name, "must be left out with from_domain and expect"));
    if (expect !== undefined) {
      if (from_domain === undefined) return expectedCode(call, expect, asked, context);
      return call.refuse("code", invalid("from_domain", "must be left out with expect, which names it"));
    }
    const made = await call.route("createExpectation", {
      body: { from_domain, kind: "any", ...(strict === undefined ? {} : { strict }) },
    });
    if (!made.ok) return made;
    const { id, address } = made.value;
    if (asked.timeout_seconds === undefined)
      return done({ code: null, waited_seconds: 0, expect: id, address });
    const came = await expectedCode(call, id, asked, context);
    return came.ok ? done({ ...came.value, address }) : came;
  },
});

/** Seconds of the input; a longer time counts as the most. */
function secondsOf({ timeout_seconds: seconds = DEFAULT_WAIT_SECONDS }: CodeInput): number {
  return Math.min(Math.floor(seconds), MAX_WAIT_SECONDS);
}

/** Waits for the next code, whoever sends it, or takes one of the last minutes. */
async function anyCode(call: McpCall, asked: CodeInput, context: ToolContext): Promise<Answer<CodeOutput>> {
  const { from: sender, since } = asked;
  const age = since === undefined ? { max_age: RECENT_CODE_SECONDS } : { since };
  const limits = { seconds: secondsOf(asked), secondsOfPoll: CODE_POLL_SECONDS };
  const waited = await waitFor(context, limits, async (timeout) => {
    const query = { timeout, ...age, from: sender, kind: "any" };
    const answer = await call.route("code", { query, signal: context.signal, waitTag: context.waitTag });
    return answer.ok ? done(answer.value.id === undefined ? null : answer.value) : answer;
  });
  if (!waited.ok) return waited;
  if (waited.value.found === null) return done({ code: null, waited_seconds: waited.value.waitedSeconds });
  const { id = "", code, link = null, from: address = "" } = waited.value.found;
  const email = await call.route("email", { params: { id } });
  return done({
    code,
    link,
    from: shownAddress(address),
    sender_verified: email.ok && email.value.sender_verified,
    email_id: id,
  });
}

/** Waits for the mail of an expectation, and returns its code. */
async function expectedCode(
  call: McpCall,
  id: string,
  asked: CodeInput,
  context: ToolContext,
): Promise<Answer<CodeOutput>> {
  const limits = { seconds: secondsOf(asked), secondsOfPoll: CODE_POLL_SECONDS };
  let rejected: CodeOutput["rejected"] = [];
  const waited = await waitFor(context, limits, async (wait) => {
    const { signal, waitTag } = context;
    const answer = await call.route("expectation", { params: { id }, query: { wait }, signal, waitTag });
    if (!answer.ok) return answer;
    rejected = answer.value.rejected.map(({ email_id, reason }) => ({ email_id, reason }));
    return done(answer.value.status === "matched" ? answer.value : null);
  });
  if (!waited.ok) return waited;
  const { found } = waited.value;
  if (found === null)
    return done({ code: null, waited_seconds: waited.value.waitedSeconds, expect: id, rejected });
  const { code, link, sender_verified, email_id } = found;
  const email = await call.route("email", { params: { id: email_id ?? "" } });
  return done({
    code,
    link,
    from: email.ok ? shownAddress(email.value.from_address) : "",
    sender_verified,
    email_id: email_id ?? "",
    expect: id,
    rejected,
  });
}

interface Wanted {
  from?: string | undefined;
  subject?: string | undefined;
  thread_id?: string | undefined;
}

/** The summary of an email; or a null email if none came. */
const MailOutput = z.object({ ...Summary.partial().shape, email: z.null().optional() });

/** The next email that fits. */
export const waitForMail = tool({
  name: "wait_for_mail",
  route: "changes",
  input: z.object({
    from,
    subject: z.string().optional(),
    thread_id: z.string().optional(),
    timeout_seconds: timeoutSeconds,
    after: cursor.meta({ description: "`cursor` of check_mail" }),
  }),
  output: MailOutput,
  reads: true,
  waits: true,
  async run(call, { timeout_seconds: seconds, after, ...wanted }, context) {
    const begin = after === undefined ? await recent(call, wanted) : done({ id: null, seq: after });
    if (!begin.ok) return begin;
    const id =
      begin.value.id === null
        ? await nextMail(call, context, { wanted, seconds, after: begin.value.seq })
        : done(begin.value.id);
    if (!id.ok) return id;
    if (id.value === null) return done({ email: null });
    const email = await call.route("email", { params: { id: id.value } });
    return email.ok ? done(summaryOf(email.value)) : email;
  },
});

/** The newest email of the last minute that fits, and the end of the log. */
async function recent(call: McpCall, wanted: Wanted): Promise<Answer<{ id: string | null; seq: number }>> {
  const since = new Date(Date.now() - RECENT_MAIL_MS).toISOString();
  const page = await mailsSince(call, since, wanted);
  return page.ok ? done({ id: page.value.ids[0] ?? null, seq: page.value.seq }) : page;
}

/** The id of the next email in the log that fits; null if none came in time. */
async function nextMail(
  call: McpCall,
  context: ToolContext,
  { wanted, seconds, after }: { wanted: Wanted; seconds: number; after: number },
): Promise<Answer<string | null>> {
  let seq = after;
  const waited = await waitFor(context, { seconds, secondsOfPoll: CHANGES_POLL_SECONDS }, async (wait) => {
    const page = await call.route("changes", {
      query: { after: seq, types: "message.received", wait },
      signal: context.signal,
      waitTag: context.waitTag,
    });
    if (!page.ok) return page;
    const { events } = page.value;
    const [first] = events;
    if (first === undefined) return done(null);
    seq = events.at(-1)?.seq ?? seq;
    const fitting = await mailsSince(call, first.data.received_at, wanted);
    if (!fitting.ok) return fitting;
    const found = events.find(({ data }) => fitting.value.ids.includes(data.email_id));
    return done(found?.data.email_id ?? AGAIN);
  });
  return waited.ok ? done(waited.value.found) : waited;
}

/** Ids of the received emails that fit, newest first, and the end of the log. The inbox judges what fits. */
async function mailsSince(
  call: McpCall,
  since: string,
  { from: sender, subject, thread_id: thread }: Wanted,
): Promise<Answer<{ ids: string[]; seq: number }>> {
  const query = { since, from: sender, subject, direction: "inbound", limit: MAX_PAGE_SIZE };
  const page = await call.route("inbox", { query });
  if (!page.ok) return page;
  const { emails, last_seq: seq = 0 } = page.value;
  const fitting = emails.filter((email) => thread === undefined || email.thread_id === thread);
  return done({ ids: fitting.map(({ id }) => id), seq });
}
