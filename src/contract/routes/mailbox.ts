import * as z from "zod";
import { DeletedMailbox, MailboxInfo, PausedMailbox, ResumedMailbox, Stats } from "../mailbox.ts";
import { route } from "../route.ts";
import { ANYONE, OWNERS } from "../scope.ts";
import { emptyBody, json, named, none } from "./common.ts";

/** As long as a secret of Standard Webhooks is ever made. */
const MAX_SECRET_CHARS = 256;
const MIN_SECRET_CHARS = 16;

const Settings = z.strictObject({
  display_name: z
    .string()
    .trim()
    .max(200, "must be at most 200 characters")
    .regex(/^[^\p{Cc}]*$/u, "must not hold control characters")
    .nullable()
    .optional(),
  webhook_url: z.string().nullable().optional().meta({
    description: "https to a public host on port 443 or 8443. Setting it, even to the same, resets `failed`.",
  }),
  webhook_secret: z
    .string()
    .min(MIN_SECRET_CHARS, `must be at least ${MIN_SECRET_CHARS} characters`)
    .max(MAX_SECRET_CHARS, `must be at most ${MAX_SECRET_CHARS} characters`)
    .regex(/^[\x20-\x7e]*$/, "must be printable ASCII")
    .nullable()
    .optional()
    .meta({
      description:
        "Signs instead of the deployment's secret; the one before signs too for 24 hours. Never shown.",
    }),
});

/** The mailbox itself. */
export const mailboxRoutes = {
  getMailbox: route({
    method: "GET",
    path: "/v1/mailbox",
    tag: "Mailbox",
    summary: "State and settings",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(MailboxInfo) },
  }),
  updateMailbox: route({
    method: "PATCH",
    path: "/v1/mailbox",
    tag: "Mailbox",
    summary: "Change settings",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: Settings,
    responses: { 200: json(MailboxInfo) },
  }),
  pauseMailbox: route({
    method: "PATCH",
    path: "/v1/mailbox/pause",
    tag: "Mailbox",
    summary: "Refuse every request but resume; mail still arrives",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: z.strictObject({ reason: z.string().max(500, "must be at most 500 characters").nullish() }),
    responses: { 200: json(PausedMailbox) },
  }),
  resumeMailbox: route({
    method: "PATCH",
    path: "/v1/mailbox/resume",
    tag: "Mailbox",
    summary: "End a pause",
    target: "mailbox",
    scopes: ANYONE,
    whilePaused: true,
    params: none,
    query: named,
    body: emptyBody,
    responses: { 200: json(ResumedMailbox) },
  }),
  deleteMailbox: route({
    method: "DELETE",
    path: "/v1/mailbox",
    tag: "Mailbox",
    summary: "Erase the mailbox, its mail and its keys",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(DeletedMailbox) },
  }),
  stats: route({
    method: "GET",
    path: "/v1/stats",
    tag: "Mailbox",
    summary: "Usage",
    target: "mailbox",
    scopes: ANYONE,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(Stats) },
  }),
} as const;
