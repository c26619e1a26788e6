import * as z from "zod";
import {
  CreatedMailbox,
  DeletedMailbox,
  MailboxInfo,
  MailboxPage,
  MailboxStatus,
  PausedMailbox,
  ResumedMailbox,
} from "../mailbox.ts";
import { cursor, limit, none } from "../parameters.ts";
import { route } from "../route.ts";
import { OPERATORS } from "../scope.ts";
import { emptyBody, json, PauseBody } from "./common.ts";

const byAddress = z.object({
  address: z.string().min(1, "is required").max(320, "must be at most 320 characters"),
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
  })
  .meta({ examples: [{ name: "agent", kind: "permanent" }] });

/** The mailboxes of the deployment, for its operator. */
export const mailboxesRoutes = {
  createMailbox: route({
    method: "POST",
    path: "/v1/mailboxes",
    tag: "Operator",
    summary: "Create a mailbox",
    target: "deployment",
    scopes: OPERATORS,
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
    query: z.object({
      limit,
      cursor,
      status: z
        .union([MailboxStatus, z.literal("")])
        .optional()
        .transform((status) => (status ? status : null)),
    }),
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
    body: PauseBody,
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
