import * as z from "zod";
import { DeletedMailbox, MailboxInfo, PausedMailbox, ResumedMailbox, Stats } from "../mailbox.ts";
import { NO_CONTROLS } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE, OWNERS } from "../scope.ts";
import { emptyBody, json, PauseBody } from "./common.ts";

/** The most characters of a webhook secret. */
const MAX_SECRET_CHARS = 256;
const MIN_SECRET_CHARS = 16;

const Settings = z.strictObject({
  display_name: z
    .string()
    .trim()
    .max(200, "must be at most 200 characters")
    .regex(NO_CONTROLS, "must not hold control characters")
    .nullable()
    .optional()
    .meta({ examples: ["Agent"] }),
  webhook_url: z
    .string()
    .nullable()
    .optional()
    .meta({
      examples: ["https://agent.example/hooks/mail"],
      description:
        "https to a public host on port 443 or 8443. Setting it, even to the same, resets `failed`.",
    }),
  webhook_recovery: z.boolean().optional().meta({
    description:
      "Whether webhooks that failed are tried again by themselves: after 1, 5 and 30 minutes, then hourly for three days. Off unless set.",
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
        "Signs webhooks instead of the deployment's secret. The secret before it also signs for 24 hours. Never shown.",
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
    responses: { 200: json(MailboxInfo) },
    calls: "info",
  }),
  updateMailbox: route({
    method: "PATCH",
    path: "/v1/mailbox",
    tag: "Mailbox",
    summary: "Change settings",
    target: "mailbox",
    scopes: OWNERS,
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
    body: PauseBody,
    responses: { 200: json(PausedMailbox) },
    calls: "pause",
    args: ({ body }) => [body.reason ?? null],
  }),
  resumeMailbox: route({
    method: "PATCH",
    path: "/v1/mailbox/resume",
    tag: "Mailbox",
    summary: "End a pause",
    target: "mailbox",
    scopes: ANYONE,
    whilePaused: true,
    body: emptyBody,
    responses: { 200: json(ResumedMailbox) },
    calls: "resume",
  }),
  deleteMailbox: route({
    method: "DELETE",
    path: "/v1/mailbox",
    tag: "Mailbox",
    summary: "Erase the mailbox, its mail and its keys",
    target: "mailbox",
    scopes: ANYONE,
    responses: { 200: json(DeletedMailbox) },
    calls: "destroy",
  }),
  stats: route({
    method: "GET",
    path: "/v1/stats",
    tag: "Mailbox",
    summary: "Usage",
    target: "mailbox",
    scopes: ANYONE,
    responses: { 200: json(Stats) },
    calls: "stats",
  }),
} as const;
