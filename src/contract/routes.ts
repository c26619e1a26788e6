import { z } from "zod";
import {
  Bootstrapped,
  CreatedMailbox,
  DeletedMailbox,
  KeyList,
  MailboxInfo,
  MailboxPage,
  MailboxStatus,
  Me,
  NewKey,
  PausedMailbox,
  ResumedMailbox,
  Stats,
} from "./mailbox.ts";
import { CodeAnswer, Direction, Email, EmailPage, SearchPage, Thread, ThreadPage } from "./message.ts";
import * as parameters from "./parameters.ts";
import { route } from "./route.ts";
import { ANYONE, OPERATORS, OWNERS } from "./scope.ts";

const { cursor, limit, offset, mailbox, id, text, flag, instant, integer } = parameters;

const none = z.object({});
const named = z.object({ mailbox });
const byId = z.object({ id });
const idInQuery = z.object({ mailbox, id });
const byAddress = z.object({ address: z.string().min(1, "is required").max(320, "must be at most 320 characters") });
const emptyBody = z.strictObject({});

const MAX_LABEL_CHARS = 64;
const MAX_LABELS_PER_CALL = 50;
const label = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(MAX_LABEL_CHARS, `must be at most ${MAX_LABEL_CHARS} characters`)
  .regex(/^[^\p{C}]+$/u, "must not hold control characters");
const labels = z.array(label).max(MAX_LABELS_PER_CALL, `must name at most ${MAX_LABELS_PER_CALL} labels`);

const json = (shape: z.ZodType, about = "Done.") => ({ json: shape, about });
const deleted = json(z.object({ deleted: z.literal(true) }));

const filters = {
  mailbox,
  limit,
  offset,
  cursor,
  direction: z.union([Direction, z.literal("")]).optional().transform((way) => (way ? way : null)),
  label: text("Only emails that carry this label."),
  mode: z
    .enum(["keyword", "semantic", "hybrid", ""])
    .optional()
    .meta({ description: "How `query` is understood. Without an embedding model every mode is keyword." }),
  from: text("Part of the sender's address or name."),
  to: text("Part of the recipient's address; the own address is no filter."),
  subject: text("Part of the subject."),
  has_attachment: flag("Only emails with, or without, attachments."),
  since: instant("Received at this time or later."),
  until: instant("Received at this time or earlier."),
};
const query = text("Words, \"phrases\", prefix*, from: to: subject: has:attachment label: before: after:", parameters.MAX_QUERY_CHARS);
/** Newest first; with `query` the best match first. */
export const InboxQuery = z.object({ ...filters, query });
export type InboxFilters = z.output<typeof InboxQuery>;

/** Seconds a code poll waits at most. */
const MAX_CODE_WAIT_SECONDS = 55;
export const CodeQuery = z.object({
  mailbox,
  timeout: integer({ min: 1, max: MAX_CODE_WAIT_SECONDS, fallback: 30, about: "Seconds to wait; clamped to 55." }),
  since: instant("Only codes received after this time. Without it the newest code answers at once."),
  from: text("Part of the sender's address or name."),
  consume: flag("Hand a code out once: later calls no longer see it."),
  kind: z.enum(["code", "link", "any"]).default("code").meta({ description: "What counts as a hit." }),
});
export type CodeFilters = z.output<typeof CodeQuery>;

const ThreadQuery = z.object({ mailbox, limit: integer({ min: 1, max: 100, fallback: 100, about: "Emails at most." }), cursor });

/** The envelope and origin of a message handed over by HTTP. */
const InboundQuery = z.object({
  from: z.string().max(320, "must be at most 320 characters").default("").meta({ description: "Envelope sender; empty for the null sender." }),
  to: z.string().min(1, "is required").max(320, "must be at most 320 characters").meta({ description: "Envelope recipient." }),
  via: z.enum(["smtp", "http"]).default("http").meta({ description: "Who hands over." }),
  client: text("Network address of the sending server.", 64),
  helo: text("Name the sending server gave.", 255),
});

const KeyBody = z.strictObject({
  expires_at: z.iso.datetime({ offset: true, error: "must be an ISO 8601 time with an offset or Z" }).nullish().meta({
    description: "When the key ends; without it, when it is revoked.",
  }),
});

const CreateBody = z
  .strictObject({
    name: z.string().optional(),
    address: z.string().optional(),
    kind: z.enum(["permanent", "temporary"]).default("permanent"),
  })
  .refine((body) => (body.name === undefined) !== (body.address === undefined), {
    path: ["address"],
    error: "give either address or name",
  });

/** Every endpoint of the service. The key is its operationId. */
export const routes = {
  me: route({
    method: "GET", path: "/v1/me", tag: "Keys", summary: "Who am I",
    target: "caller", scopes: ANYONE, params: none, query: named, body: null,
    responses: { 200: json(Me) },
  }),
  bootstrap: route({
    method: "POST", path: "/v1/bootstrap", tag: "Keys", summary: "Get a temporary mailbox without a credential",
    target: "public", scopes: [], params: none, query: none, body: emptyBody,
    responses: { 201: json(Bootstrapped, "Created."), 200: json(Bootstrapped, "Replayed for the same Idempotency-Key.") },
  }),
  listKeys: route({
    method: "GET", path: "/v1/keys", tag: "Keys", summary: "Keys of the mailbox, without their secrets",
    target: "mailbox", scopes: OWNERS, params: none, query: named, body: null,
    responses: { 200: json(KeyList) },
  }),
  createKey: route({
    method: "POST", path: "/v1/keys", tag: "Keys", summary: "Make a key; its secret is shown once",
    target: "mailbox", scopes: OWNERS, params: none, query: named, body: KeyBody,
    responses: { 201: json(NewKey, "Created.") },
  }),
  revokeKey: route({
    method: "DELETE", path: "/v1/keys/:id", tag: "Keys", summary: "Revoke a key at once",
    target: "mailbox", scopes: OWNERS, params: byId, query: named, body: null,
    responses: { 200: deleted },
  }),
  getMailbox: route({
    method: "GET", path: "/v1/mailbox", tag: "Mailbox", summary: "State and settings",
    target: "mailbox", scopes: OWNERS, params: none, query: named, body: null,
    responses: { 200: json(MailboxInfo) },
  }),
  updateMailbox: route({
    method: "PATCH", path: "/v1/mailbox", tag: "Mailbox", summary: "Change settings",
    target: "mailbox", scopes: OWNERS, params: none, query: named,
    body: z.strictObject({
      display_name: z.string().trim().max(200, "must be at most 200 characters").regex(/^[^\p{Cc}]*$/u, "must not hold control characters").nullable().optional(),
    }),
    responses: { 200: json(MailboxInfo) },
  }),
  pauseMailbox: route({
    method: "PATCH", path: "/v1/mailbox/pause", tag: "Mailbox", summary: "Refuse every request but resume; mail still arrives",
    target: "mailbox", scopes: OWNERS, params: none, query: named,
    body: z.strictObject({ reason: z.string().max(500, "must be at most 500 characters").nullish() }),
    responses: { 200: json(PausedMailbox) },
  }),
  resumeMailbox: route({
    method: "PATCH", path: "/v1/mailbox/resume", tag: "Mailbox", summary: "End a pause",
    target: "mailbox", scopes: ANYONE, whilePaused: true, params: none, query: named, body: emptyBody,
    responses: { 200: json(ResumedMailbox) },
  }),
  deleteMailbox: route({
    method: "DELETE", path: "/v1/mailbox", tag: "Mailbox", summary: "Erase the mailbox, its mail and its keys",
    target: "mailbox", scopes: ANYONE, params: none, query: named, body: null,
    responses: { 200: json(DeletedMailbox) },
  }),
  stats: route({
    method: "GET", path: "/v1/stats", tag: "Mailbox", summary: "Usage",
    target: "mailbox", scopes: ANYONE, params: none, query: named, body: null,
    responses: { 200: json(Stats) },
  }),
  inbox: route({
    method: "GET", path: "/v1/inbox", tag: "Reading", summary: "List emails, newest first",
    target: "mailbox", scopes: ANYONE, params: none, query: InboxQuery, body: null,
    responses: { 200: json(EmailPage) },
  }),
  search: route({
    method: "GET", path: "/v1/search", tag: "Reading", summary: "Search emails, best match first",
    target: "mailbox", scopes: ANYONE, params: none, query: InboxQuery.extend({ q: query }), body: null,
    responses: { 200: json(SearchPage) },
  }),
  emailByQuery: route({
    method: "GET", path: "/v1/email", tag: "Reading", summary: "One email",
    target: "mailbox", scopes: ANYONE, params: none, query: idInQuery, body: null,
    responses: { 200: json(Email) },
  }),
  email: route({
    method: "GET", path: "/v1/emails/:id", tag: "Reading", summary: "One email",
    target: "mailbox", scopes: ANYONE, params: byId, query: named, body: null,
    responses: { 200: json(Email) },
  }),
  rawEmail: route({
    method: "GET", path: "/v1/emails/:id/raw", tag: "Reading", summary: "The message byte for byte as it arrived",
    target: "mailbox", scopes: ANYONE, params: byId, query: named, body: null,
    responses: { 200: { media: "message/rfc822", about: "The message." } },
  }),
  labelEmail: route({
    method: "PATCH", path: "/v1/emails/:id", tag: "Reading", summary: "Add and remove labels",
    target: "mailbox", scopes: OWNERS, params: byId, query: named,
    body: z.strictObject({ add_labels: labels.optional(), remove_labels: labels.optional() }),
    responses: { 200: json(Email) },
  }),
  deleteEmail: route({
    method: "DELETE", path: "/v1/emails/:id", tag: "Reading", summary: "Erase one email",
    target: "mailbox", scopes: OWNERS, params: byId, query: named, body: null,
    responses: { 200: deleted },
  }),
  deleteEmailByQuery: route({
    method: "DELETE", path: "/v1/email", tag: "Reading", summary: "Erase one email",
    target: "mailbox", scopes: OWNERS, params: none, query: idInQuery, body: null,
    responses: { 200: deleted },
  }),
  attachmentByQuery: route({
    method: "GET", path: "/v1/attachment", tag: "Reading", summary: "The bytes of an attachment",
    target: "mailbox", scopes: OWNERS, params: none, query: idInQuery, body: null,
    responses: { 200: { media: "application/octet-stream", about: "The bytes." }, 206: { media: "application/octet-stream", about: "The range asked for." } },
  }),
  attachment: route({
    method: "GET", path: "/v1/attachments/:id", tag: "Reading", summary: "The bytes of an attachment",
    target: "mailbox", scopes: OWNERS, params: byId, query: named, body: null,
    responses: { 200: { media: "application/octet-stream", about: "The bytes." }, 206: { media: "application/octet-stream", about: "The range asked for." } },
  }),
  code: route({
    method: "GET", path: "/v1/code", tag: "Reading", summary: "Wait for a verification code",
    target: "mailbox", scopes: ANYONE, params: none, query: CodeQuery, body: null,
    responses: { 200: json(CodeAnswer, "The code, or `{ code: null }` when none came in time.") },
  }),
  threads: route({
    method: "GET", path: "/v1/threads", tag: "Reading", summary: "List threads, newest first",
    target: "mailbox", scopes: ANYONE, params: none, query: z.object({ mailbox, limit, cursor }), body: null,
    responses: { 200: json(ThreadPage) },
  }),
  threadByQuery: route({
    method: "GET", path: "/v1/thread", tag: "Reading", summary: "One thread, oldest email first",
    target: "mailbox", scopes: ANYONE, params: none, query: ThreadQuery.extend({ id }), body: null,
    responses: { 200: json(Thread) },
  }),
  thread: route({
    method: "GET", path: "/v1/threads/:id", tag: "Reading", summary: "One thread, oldest email first",
    target: "mailbox", scopes: ANYONE, params: byId, query: ThreadQuery, body: null,
    responses: { 200: json(Thread) },
  }),
  inbound: route({
    method: "POST", path: "/v1/inbound", tag: "Operator", summary: "Hand over a message for one recipient",
    target: "deployment", scopes: OPERATORS, params: none, query: InboundQuery, body: null, rawBody: "message/rfc822",
    responses: { 202: json(z.object({ id: z.string(), duplicate: z.boolean() }), "Stored.") },
  }),
  createMailbox: route({
    method: "POST", path: "/v1/mailboxes", tag: "Operator", summary: "Create a mailbox",
    target: "deployment", scopes: OPERATORS, params: none, query: none, body: CreateBody,
    responses: { 201: json(CreatedMailbox, "Created.") },
  }),
  claimAuto: route({
    method: "POST", path: "/v1/claim/auto", tag: "Operator", summary: "Create a permanent mailbox by name",
    target: "deployment", scopes: OPERATORS, params: none, query: none, body: z.strictObject({ name: z.string() }),
    responses: { 201: json(CreatedMailbox, "Created.") },
  }),
  listMailboxes: route({
    method: "GET", path: "/v1/mailboxes", tag: "Operator", summary: "List mailboxes",
    target: "deployment", scopes: OPERATORS, params: none,
    query: z.object({ limit, cursor, status: z.union([MailboxStatus, z.literal("")]).optional().transform((status) => (status ? status : null)) }), body: null,
    responses: { 200: json(MailboxPage) },
  }),
  describeMailbox: route({
    method: "GET", path: "/v1/mailboxes/:address", tag: "Operator", summary: "State of a mailbox",
    target: "deployment", scopes: OPERATORS, params: byAddress, query: none, body: null,
    responses: { 200: json(MailboxInfo) },
  }),
  removeMailbox: route({
    method: "DELETE", path: "/v1/mailboxes/:address", tag: "Operator", summary: "Erase a mailbox",
    target: "deployment", scopes: OPERATORS, params: byAddress, query: none, body: null,
    responses: { 200: json(DeletedMailbox) },
  }),
  pauseByOperator: route({
    method: "PATCH", path: "/v1/mailboxes/:address/pause", tag: "Operator", summary: "Pause a mailbox",
    target: "deployment", scopes: OPERATORS, params: byAddress, query: none,
    body: z.strictObject({ reason: z.string().max(500, "must be at most 500 characters").nullish() }),
    responses: { 200: json(PausedMailbox) },
  }),
  resumeByOperator: route({
    method: "PATCH", path: "/v1/mailboxes/:address/resume", tag: "Operator", summary: "End a pause",
    target: "deployment", scopes: OPERATORS, params: byAddress, query: none, body: emptyBody,
    responses: { 200: json(ResumedMailbox) },
  }),
} as const;

export type RouteId = keyof typeof routes;
