import * as z from "zod";
import { PRODUCT, VERSION } from "../../../contract/product.ts";
import { CreatedMailbox, MailboxEntry, MailboxStatus } from "../../../contract/mailbox.ts";
import { done } from "../../../lib/outcome.ts";
import { limit } from "../inputs.ts";
import { tool } from "../tool.ts";

/** Makes a mailbox, and shows its key once. */
export const createMailbox = tool({
  name: "create_mailbox",
  route: "createMailbox",
  input: z.object({
    name: z.string().optional(),
    address: z.string().optional(),
    kind: z.enum(["permanent", "temporary"]).optional(),
  }),
  output: CreatedMailbox,
  run: (call, body) => call.route("createMailbox", { body }),
});

/** The mailboxes of the deployment. */
export const listMailboxes = tool({
  name: "list_mailboxes",
  route: "listMailboxes",
  input: z.object({ limit, cursor: z.string().optional(), status: MailboxStatus.optional() }),
  output: z.object({
    mailboxes: z.array(
      MailboxEntry.omit({ created_at: true, expires_at: true }).extend({ created_at: z.string() }),
    ),
    next_cursor: z.string().nullable(),
  }),
  reads: true,
  run: (call, query) => call.route("listMailboxes", { query }),
});

/** Pauses a mailbox, or ends its pause. */
export const pauseMailbox = tool({
  name: "pause_mailbox",
  route: "pauseByOperator",
  input: z.object({
    address: z.string(),
    paused: z.boolean().default(true),
    reason: z.string().optional(),
  }),
  output: z.object({ mailbox: z.string(), status: z.string() }),
  repeatable: true,
  async run(call, { address, paused, reason }) {
    const params = { address };
    const answer = paused
      ? await call.route("pauseByOperator", { params, body: { reason } })
      : await call.route("resumeByOperator", { params });
    return answer.ok ? done({ mailbox: answer.value.mailbox, status: answer.value.status }) : answer;
  },
});

/** Version and settings of the deployment. */
export const deploymentStatus = tool({
  name: "deployment_status",
  route: "listMailboxes",
  input: z.object({}),
  output: z.object({
    product: z.string(),
    version: z.string(),
    url: z.string(),
    mail_domain: z.string(),
    sends_by: z.string(),
    sending: z.enum(["active", "halted"]),
    bootstrap: z.boolean(),
    semantic_search: z.boolean(),
    daily_send_limit: z.int(),
  }),
  reads: true,
  async run(call) {
    const { config, origin } = call;
    const state = await call.route("sendingState", {});
    if (!state.ok) return state;
    return done({
      product: PRODUCT,
      version: VERSION,
      url: origin,
      mail_domain: config.mailDomain,
      sends_by: config.outbound,
      sending: state.value.status,
      bootstrap: config.bootstrapEnabled,
      semantic_search: config.embeddings !== null,
      daily_send_limit: config.dailySendLimit,
    });
  },
});
