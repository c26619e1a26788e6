import * as z from "zod";
import { ExtractAnswer, ExtractRequest } from "../extraction.ts";
import { CodeAnswer, Direction, Email, EmailPage, SearchPage, Thread, ThreadPage } from "../message.ts";
import {
  cursor,
  flag,
  id,
  instant,
  integer,
  label,
  limit,
  mailbox,
  MAX_QUERY_CHARS,
  offset,
  text,
} from "../parameters.ts";
import { readUpTo } from "../bounded-list.ts";
import { route } from "../route.ts";
import { ANYONE, OWNERS } from "../scope.ts";
import { byId, deleted, json, named, none } from "./common.ts";

const idInQuery = z.object({ mailbox, id });

const MAX_LABELS_PER_CALL = 50;
const labels = readUpTo(
  MAX_LABELS_PER_CALL,
  z.array(label).max(MAX_LABELS_PER_CALL, `must name at most ${MAX_LABELS_PER_CALL} labels`),
);

const filters = {
  mailbox,
  limit,
  offset,
  cursor,
  direction: z
    .union([Direction, z.literal("")])
    .optional()
    .transform((way) => (way ? way : null)),
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
const query = text(
  'Words, "phrases", prefix*, from: to: subject: has:attachment label: before: after:',
  MAX_QUERY_CHARS,
);
/** Newest first; with `query` the best match first. */
export const InboxQuery = z.object({ ...filters, query });
export type InboxFilters = z.output<typeof InboxQuery>;

/** Seconds a code poll waits at most. */
const MAX_CODE_WAIT_SECONDS = 55;
export const CodeQuery = z.object({
  mailbox,
  timeout: integer({
    min: 1,
    max: MAX_CODE_WAIT_SECONDS,
    fallback: 30,
    about: "Seconds to wait; clamped to 55.",
  }),
  since: instant("Only codes received after this time. Without it the newest code answers at once."),
  from: text("Part of the sender's address or name."),
  consume: flag("Hand a code out once: later calls no longer see it."),
  kind: z.enum(["code", "link", "any"]).default("code").meta({ description: "What counts as a hit." }),
});
export type CodeFilters = z.output<typeof CodeQuery>;

const ThreadQuery = z.object({
  mailbox,
  limit: integer({ min: 1, max: 100, fallback: 100, about: "Emails at most." }),
  cursor,
});

/** What is in a mailbox. */
export const readingRoutes = {
  inbox: route({
    method: "GET",
    path: "/v1/inbox",
    tag: "Reading",
    summary: "List emails, newest first",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: InboxQuery,
    body: null,
    responses: { 200: json(EmailPage) },
  }),
  search: route({
    method: "GET",
    path: "/v1/search",
    tag: "Reading",
    summary: "Search emails, best match first",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: InboxQuery.extend({ q: query }),
    body: null,
    responses: { 200: json(SearchPage) },
  }),
  emailByQuery: route({
    method: "GET",
    path: "/v1/email",
    tag: "Reading",
    summary: "One email",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: idInQuery,
    body: null,
    responses: { 200: json(Email) },
  }),
  email: route({
    method: "GET",
    path: "/v1/emails/:id",
    tag: "Reading",
    summary: "One email",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: named,
    body: null,
    responses: { 200: json(Email) },
  }),
  rawEmail: route({
    method: "GET",
    path: "/v1/emails/:id/raw",
    tag: "Reading",
    summary: "The message byte for byte as it arrived",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: named,
    body: null,
    responses: { 200: { media: "message/rfc822", about: "The message." } },
  }),
  labelEmail: route({
    method: "PATCH",
    path: "/v1/emails/:id",
    tag: "Reading",
    summary: "Add and remove labels",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: z.strictObject({ add_labels: labels.optional(), remove_labels: labels.optional() }),
    responses: { 200: json(Email) },
  }),
  deleteEmail: route({
    method: "DELETE",
    path: "/v1/emails/:id",
    tag: "Reading",
    summary: "Erase one email",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: null,
    responses: { 200: deleted },
  }),
  deleteEmailByQuery: route({
    method: "DELETE",
    path: "/v1/email",
    tag: "Reading",
    summary: "Erase one email",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: idInQuery,
    body: null,
    responses: { 200: deleted },
  }),
  attachmentByQuery: route({
    method: "GET",
    path: "/v1/attachment",
    tag: "Reading",
    summary: "The bytes of an attachment",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: idInQuery,
    body: null,
    responses: {
      200: { media: "application/octet-stream", about: "The bytes." },
      206: { media: "application/octet-stream", about: "The range asked for." },
    },
  }),
  attachment: route({
    method: "GET",
    path: "/v1/attachments/:id",
    tag: "Reading",
    summary: "The bytes of an attachment",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: null,
    responses: {
      200: { media: "application/octet-stream", about: "The bytes." },
      206: { media: "application/octet-stream", about: "The range asked for." },
    },
  }),
  code: route({
    method: "GET",
    path: "/v1/code",
    tag: "Reading",
    summary: "Wait for a verification code",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: CodeQuery,
    body: null,
    responses: { 200: json(CodeAnswer, "The code, or `{ code: null }` when none came in time.") },
  }),
  extract: route({
    method: "POST",
    path: "/v1/extract",
    tag: "Reading",
    summary: "Read an order, a parcel, an appointment, a receipt or a code out of an email",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: named,
    body: ExtractRequest,
    responses: { 200: json(ExtractAnswer) },
  }),
  threads: route({
    method: "GET",
    path: "/v1/threads",
    tag: "Reading",
    summary: "List threads, newest first",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: z.object({ mailbox, limit, cursor }),
    body: null,
    responses: { 200: json(ThreadPage) },
  }),
  threadByQuery: route({
    method: "GET",
    path: "/v1/thread",
    tag: "Reading",
    summary: "One thread, oldest email first",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: ThreadQuery.extend({ id }),
    body: null,
    responses: { 200: json(Thread) },
  }),
  thread: route({
    method: "GET",
    path: "/v1/threads/:id",
    tag: "Reading",
    summary: "One thread, oldest email first",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: ThreadQuery,
    body: null,
    responses: { 200: json(Thread) },
  }),
} as const;
