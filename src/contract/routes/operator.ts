import * as z from "zod";
import { MAX_INBOUND_RECIPIENTS } from "../limits.ts";
import {
  CreatedMailbox,
  DeletedMailbox,
  MailboxInfo,
  MailboxPage,
  MailboxStatus,
  PausedMailbox,
  ResumedMailbox,
} from "../mailbox.ts";
import { cursor, limit, text } from "../parameters.ts";
import { route } from "../route.ts";
import { OPERATORS } from "../scope.ts";
import { emptyBody, json, none } from "./common.ts";

const byAddress = z.object({
  address: z.string().min(1, "is required").max(320, "must be at most 320 characters"),
});
/** The envelope and origin of a message handed over by HTTP. */
const InboundQuery = z.object({
  from: z
    .string()
    .max(320, "must be at most 320 characters")
    .default("")
    .meta({ description: "Envelope sender; empty for the null sender." }),
  to: z
    .array(z.string())
    .min(1, "is required")
    .max(MAX_INBOUND_RECIPIENTS, `must be given at most ${MAX_INBOUND_RECIPIENTS} times`)
    .refine((all) => all.every((one) => one !== ""), "is required")
    .refine((all) => all.every((one) => one.length <= 320), "must be at most 320 characters")
    .meta({ description: "Envelope recipient; repeated for each further one." }),
  via: z.enum(["smtp", "http"]).default("http").meta({ description: "Who hands over." }),
  client: text("Network address of the sending server.", 64),
  helo: text("Name the sending server gave.", 255),
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

const Handed = z.object({ id: z.string(), duplicate: z.boolean() });
/** Of several recipients each has an outcome of its own: `status` is what the answer would be if it were the only one. */
const HandedToSeveral = z.object({
  recipients: z.array(
    z.object({
      to: z.string(),
      status: z.int(),
      id: z.string().optional(),
      duplicate: z.boolean().optional(),
      error: z.string().optional(),
      code: z.string().optional(),
      full: z.boolean().optional(),
    }),
  ),
});

/** The deployment. */
export const operatorRoutes = {
  inbound: route({
    method: "POST",
    path: "/v1/inbound",
    tag: "Operator",
    summary: "Hand over a message; of several recipients that are one mailbox it stores one copy",
    target: "deployment",
    scopes: OPERATORS,
    params: none,
    query: InboundQuery,
    body: null,
    rawBody: "message/rfc822",
    responses: {
      202: json(
        z.union([Handed, HandedToSeveral]),
        "Stored. With several recipients: what became of it for each of them.",
      ),
    },
  }),
  createMailbox: route({
    method: "POST",
    path: "/v1/mailboxes",
    tag: "Operator",
    summary: "Create a mailbox",
    target: "deployment",
    scopes: OPERATORS,
    params: none,
    query: none,
    body: CreateBody,
    responses: { 201: json(CreatedMailbox, "Created.") },
  }),
  claimAuto: route({
    method: "POST",
    path: "/v1/claim/auto",
    tag: "Operator",
    summary: "Create a permanent mailbox by name",
    target: "deployment",
    scopes: OPERATORS,
    params: none,
    query: none,
    body: z.strictObject({ name: z.string() }),
    responses: { 201: json(CreatedMailbox, "Created.") },
  }),
  listMailboxes: route({
    method: "GET",
    path: "/v1/mailboxes",
    tag: "Operator",
    summary: "List mailboxes",
    target: "deployment",
    scopes: OPERATORS,
    params: none,
    query: z.object({
      limit,
      cursor,
      status: z
        .union([MailboxStatus, z.literal("")])
        .optional()
        .transform((status) => (status ? status : null)),
    }),
    body: null,
    responses: { 200: json(MailboxPage) },
  }),
  describeMailbox: route({
    method: "GET",
    path: "/v1/mailboxes/:address",
    tag: "Operator",
    summary: "State of a mailbox",
    target: "deployment",
    scopes: OPERATORS,
    params: byAddress,
    query: none,
    body: null,
    responses: { 200: json(MailboxInfo) },
  }),
  removeMailbox: route({
    method: "DELETE",
    path: "/v1/mailboxes/:address",
    tag: "Operator",
    summary: "Erase a mailbox",
    target: "deployment",
    scopes: OPERATORS,
    params: byAddress,
    query: none,
    body: null,
    responses: { 200: json(DeletedMailbox) },
  }),
  pauseByOperator: route({
    method: "PATCH",
    path: "/v1/mailboxes/:address/pause",
    tag: "Operator",
    summary: "Pause a mailbox",
    target: "deployment",
    scopes: OPERATORS,
    params: byAddress,
    query: none,
    body: z.strictObject({ reason: z.string().max(500, "must be at most 500 characters").nullish() }),
    responses: { 200: json(PausedMailbox) },
  }),
  resumeByOperator: route({
    method: "PATCH",
    path: "/v1/mailboxes/:address/resume",
    tag: "Operator",
    summary: "End a pause",
    target: "deployment",
    scopes: OPERATORS,
    params: byAddress,
    query: none,
    body: emptyBody,
    responses: { 200: json(ResumedMailbox) },
  }),
  reindexMailbox: route({
    method: "POST",
    path: "/v1/mailboxes/:address/reindex",
    tag: "Operator",
    summary: "Read stored messages again with this release's parser, page by page",
    target: "deployment",
    scopes: OPERATORS,
    params: byAddress,
    query: z.object({ limit, cursor }),
    body: emptyBody,
    responses: {
      200: json(
        z.object({ reindexed: z.int(), next_cursor: z.string().nullable() }),
        "Repeat with `next_cursor` until it is null.",
      ),
    },
  }),
} as const;
