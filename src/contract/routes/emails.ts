import * as z from "zod";
import { readUpTo } from "../bounded-list.ts";
import { Direction, Email, InboxPage, SearchPage } from "../message.ts";
import {
  cursor,
  flag,
  instant,
  label,
  limit,
  mailbox,
  MAX_QUERY_CHARS,
  offset,
  text,
} from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE, OWNERS } from "../scope.ts";
import { byId, deleted, idInQuery, json, MESSAGE } from "./common.ts";

const MAX_LABELS_PER_CALL = 50;
const labels = readUpTo(
  MAX_LABELS_PER_CALL,
  z.array(label).max(MAX_LABELS_PER_CALL, `must name at most ${MAX_LABELS_PER_CALL} labels`),
);

const query = text(
  'Words, "phrases", prefix*, from: to: subject: has:attachment label: before: after:',
  MAX_QUERY_CHARS,
);
/** Newest first; with `query` the best match first. */
export const InboxQuery = z.object({
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
  query,
});
export type InboxFilters = z.output<typeof InboxQuery>;

/** Emails: listed, searched, read, labelled and erased. */
export const emailRoutes = {
  inbox: route({
    method: "GET",
    path: "/v1/inbox",
    tag: "Reading",
    summary: "List received and sent emails, newest first",
    target: "mailbox",
    scopes: ANYONE,
    query: InboxQuery,
    responses: { 200: json(InboxPage) },
  }),
  search: route({
    method: "GET",
    path: "/v1/search",
    tag: "Reading",
    summary: "Search emails, best match first",
    target: "mailbox",
    scopes: ANYONE,
    query: InboxQuery.extend({ q: query }),
    responses: { 200: json(SearchPage) },
  }),
  emailByQuery: route({
    method: "GET",
    path: "/v1/email",
    tag: "Reading",
    summary: "One email",
    target: "mailbox",
    scopes: ANYONE,
    query: idInQuery,
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
    responses: { 200: { media: "message/rfc822", about: "The message.", example: MESSAGE } },
  }),
  labelEmail: route({
    method: "PATCH",
    path: "/v1/emails/:id",
    tag: "Reading",
    summary: "Add and remove labels",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    body: z
      .strictObject({ add_labels: labels.optional(), remove_labels: labels.optional() })
      .meta({ example: { add_labels: ["orders"], remove_labels: ["unread"] } }),
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
    responses: { 200: deleted },
    calls: "deleteEmail",
    args: ({ params }) => [params.id],
  }),
  deleteEmailByQuery: route({
    method: "DELETE",
    path: "/v1/email",
    tag: "Reading",
    summary: "Erase one email",
    target: "mailbox",
    scopes: OWNERS,
    query: idInQuery,
    responses: { 200: deleted },
    calls: "deleteEmail",
    args: ({ query }) => [query.id],
  }),
} as const;
