import * as z from "zod";
import { ExtractionType } from "../../../contract/extraction.ts";
import type { Answer } from "../../../contract/problem.ts";
import { Scope } from "../../../contract/scope.ts";
import { done } from "../../../lib/outcome.ts";
import type { McpCall, RouteParts } from "../call.ts";
import { id } from "../inputs.ts";
import { tool } from "../tool.ts";

/** The most emails that one call changes. */
const MAX_EMAILS = 50;

const labels = z.array(z.string()).optional();

/** Labels and erases emails. */
export const organize = tool({
  name: "organize",
  route: "labelEmail",
  input: z.object({
    ids: z.array(id).min(1, "is required").max(MAX_EMAILS, `must name at most ${MAX_EMAILS} emails`),
    add_labels: labels,
    remove_labels: labels,
    delete: z.boolean().optional(),
  }),
  output: z.object({ changed: z.int() }),
  destroys: true,
  repeatable: true,
  async run(call, { ids, delete: erase = false, ...change }) {
    let changed = 0;
    for (const named of new Set(ids)) {
      const parts = { params: { id: named }, body: change, counts: true };
      const answer = await changeOne(call, erase, parts);
      if (answer.ok) changed += 1;
      else if (answer.error.code !== "not_found") return answer;
    }
    return done({ changed });
  },
});

function changeOne(call: McpCall, erase: boolean, parts: RouteParts): Promise<Answer<unknown>> {
  return erase ? call.route("deleteEmail", parts) : call.route("labelEmail", parts);
}

const Extraction = z.looseObject({ type: z.string(), confidence: z.number() }).meta({
  description: "Untrusted: copied from the email",
});

/** Data that was read out of an email. */
export const extract = tool({
  name: "extract",
  route: "extract",
  input: z.object({ email_id: id, type: ExtractionType }),
  output: z.object({
    email_id: z.string(),
    extraction: Extraction,
    text_truncated: z.boolean(),
    extractor: z.int(),
  }),
  reads: true,
  run: (call, input) => call.route("extract", { body: input }),
});

const Status = z.object({
  mailbox: z.string(),
  scope: Scope,
  can: z.array(z.string()),
  sends_today: z.int(),
  daily_send_limit: z.int(),
  paused: z.boolean(),
  url: z.string(),
});

/** The mailbox, and the rights of the key. */
export const mailboxStatus = tool({
  name: "mailbox_status",
  route: "stats",
  input: z.object({}),
  output: Status,
  reads: true,
  async run(call) {
    const stats = await call.route("stats");
    const paused = !stats.ok && stats.error.code === "paused";
    const shown = paused ? await call.route("stats", { whilePaused: true, counts: true }) : stats;
    if (!shown.ok) return shown;
    const me = await call.route("me", { whilePaused: true });
    if (!me.ok) return me;
    const { scope, capabilities, send } = me.value;
    return done({
      mailbox: shown.value.mailbox,
      scope,
      can: capabilities.filter((capability) => send || capability !== "send"),
      sends_today: shown.value.sends_today,
      daily_send_limit: shown.value.daily_send_limit,
      paused,
      url: `${call.origin}/mailbox`,
    });
  },
});
