import * as z from "zod";
import type { ChangePage } from "../../../contract/event.ts";
import { MAX_PAGE_SIZE } from "../../../contract/parameters.ts";
import type { Answer } from "../../../contract/problem.ts";
import { MAIL_BUDGET, THREAD_BUDGET } from "../../../contract/view.ts";
import { done } from "../../../lib/outcome.ts";
import { viewEmail, viewThread } from "../../../service/view-mail.ts";
import type { McpCall } from "../call.ts";
import { budget, cursor, from, id, limit } from "../inputs.ts";
import { mailOf, summaryOf, threadMailOf } from "../mail-view.ts";
import { Mail, Summary, ThreadMail } from "../shapes.ts";
import { tool } from "../tool.ts";

const CheckInput = z.object({
  limit,
  from,
  unread_since: cursor.meta({
    description: "`cursor` of an earlier answer: lists only mail after it, oldest first",
  }),
  label: z.string().optional(),
});
const CheckOutput = z.object({ emails: z.array(Summary), cursor: z.int() });

/** The newest received emails, or those after a place in the log. */
export const checkMail = tool({
  name: "check_mail",
  route: "inbox",
  input: CheckInput,
  output: CheckOutput,
  reads: true,
  async run(call, input) {
    const { unread_since: after, ...filters } = input;
    if (after !== undefined) return mailAfter(call, after, filters);
    const page = await call.route("inbox", { query: { ...filters, direction: "inbound" } });
    if (!page.ok) return page;
    const { emails, last_seq: seq = 0 } = page.value;
    return done({ emails: emails.map((email) => summaryOf(email)), cursor: seq });
  },
});

interface Filters {
  limit: number;
  from?: string | undefined;
  label?: string | undefined;
}

/**
 * The emails that came after a place in the log, oldest first, so that a list that is cut leaves the newest for the next call.
 * The log says which came; the inbox lists them.
 */
async function mailAfter(
  call: McpCall,
  after: number,
  filters: Filters,
): Promise<Answer<z.input<typeof CheckOutput>>> {
  const changes = await call.route("changes", {
    query: { after, types: "message.received", limit: MAX_PAGE_SIZE },
  });
  if (!changes.ok) return changes;
  const { events } = changes.value;
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return done({ emails: [], cursor: changes.value.last_seq });
  const page = await call.route("inbox", {
    query: {
      from: filters.from,
      label: filters.label,
      direction: "inbound",
      limit: MAX_PAGE_SIZE,
      since: first.data.received_at,
      until: last.data.received_at,
    },
  });
  if (!page.ok) return page;
  const byId = new Map(page.value.emails.map((email) => [email.id, email]));
  const listed = events.flatMap(({ seq, data }) => {
    const email = byId.get(data.email_id);
    return email === undefined ? [] : [{ seq, email }];
  });
  const shown = listed.slice(0, filters.limit);
  const isCut = shown.length < listed.length;
  return done({
    emails: shown.map(({ email }) => summaryOf(email)),
    cursor: isCut ? (shown.at(-1)?.seq ?? after) : endOf(changes.value, last.seq),
  });
}

/** The place in the log up to which a page looked. */
function endOf({ events, last_seq }: ChangePage, lastShown: number): number {
  return events.length < MAX_PAGE_SIZE ? last_seq : lastShown;
}

/** Emails that match a search. */
export const searchMail = tool({
  name: "search_mail",
  route: "search",
  input: z.object({
    query: z.string().meta({ description: 'Words, "phrases", from: to: subject: label: before: after:' }),
    limit,
    mode: z.enum(["keyword", "semantic", "hybrid"]).optional(),
  }),
  output: z.object({ emails: z.array(Summary), search_mode: z.string(), hint: z.string().optional() }),
  reads: true,
  async run(call, { query, limit: most, mode }) {
    const page = await call.route("search", { query: { query, limit: most, mode } });
    if (!page.ok) return page;
    const { emails, search_mode: searchMode = "keyword", hint } = page.value;
    return done({
      emails: emails.map((email) => summaryOf(email)),
      search_mode: searchMode,
      ...(hint === undefined ? {} : { hint }),
    });
  },
});

/** One email. */
export const readMail = tool({
  name: "read_mail",
  route: "emailView",
  input: z.object({
    id,
    budget: budget(MAIL_BUDGET).meta({ description: "Tokens of text" }),
    include: z.array(z.enum(["quoted", "hidden", "urls"])).optional(),
  }),
  output: Mail,
  reads: true,
  async run(call, { id: named, budget: tokens, include = [] }) {
    const wish = { budget: tokens, include: include.filter((part) => part !== "urls") };
    const viewed = await call.ask(
      "emailView",
      (mailbox, access) => viewEmail({ env: call.env, mailbox, access }, named, wish),
      { params: { id: named } },
    );
    return viewed.ok ? done(mailOf(viewed.value, include.includes("urls"))) : viewed;
  },
});

/** The emails of one conversation. */
export const readThread = tool({
  name: "read_thread",
  route: "threadView",
  input: z.object({ thread_id: id, budget: budget(THREAD_BUDGET) }),
  output: z.object({ thread_id: z.string(), emails: z.array(ThreadMail) }),
  reads: true,
  async run(call, { thread_id: named, budget: tokens }) {
    const viewed = await call.ask(
      "threadView",
      (mailbox, access) => viewThread({ env: call.env, mailbox, access }, named, tokens),
      { params: { id: named } },
    );
    if (!viewed.ok) return viewed;
    const { emails, view } = viewed.value;
    const shown = emails.flatMap((email, at) => {
      const mail = view.emails[at];
      return mail === undefined ? [] : [threadMailOf(email, mail)];
    });
    return done({ thread_id: view.thread_id, emails: shown });
  },
});
