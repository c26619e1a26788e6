import * as z from "zod";
import type { Answer } from "../../../contract/problem.ts";
import type { Sent } from "../../../contract/sending.ts";
import { done } from "../../../lib/outcome.ts";
import { id } from "../inputs.ts";
import { tool } from "../tool.ts";

const addresses = z.union([z.string(), z.array(z.string())]);

/** Files to send, by the ids of uploads or of attachments that were received. */
const attachments = z.array(z.string()).optional();

const Output = z.object({
  id: z.string(),
  status: z.string(),
  thread_id: z.string(),
  hint: z.string().optional(),
});

function sentOf(sent: Answer<Sent>): Answer<z.input<typeof Output>> {
  if (!sent.ok) return sent;
  const { id: sentId, status, thread_id: threadId, hint } = sent.value;
  return done({ id: sentId, status, thread_id: threadId, ...(hint === undefined ? {} : { hint }) });
}

const filesOf = (ids: readonly string[] = []) => ids.map((file) => ({ attachment_id: file }));

/** A new email. */
export const sendMail = tool({
  name: "send_mail",
  route: "send",
  input: z.object({
    to: addresses,
    subject: z.string(),
    text: z.string(),
    html: z.string().optional(),
    cc: addresses.optional(),
    bcc: addresses.optional(),
    attachments: attachments.meta({ description: "ids of uploaded or received files" }),
    idempotency_key: z
      .string()
      .regex(/^[\x20-\x7e]{1,255}$/, "must be visible ASCII, 255 characters at most")
      .optional(),
  }),
  output: Output,
  reachesOthers: true,
  async run(call, { idempotency_key: idempotencyKey, attachments: ids, ...message }) {
    const body = { ...message, attachments: filesOf(ids) };
    return sentOf(await call.route("send", { body, idempotencyKey }));
  },
});

/** An answer to an email. */
export const reply = tool({
  name: "reply",
  route: "reply",
  input: z.object({
    email_id: id,
    text: z.string(),
    reply_all: z.boolean().optional(),
    attachments,
  }),
  output: Output,
  reachesOthers: true,
  async run(call, { email_id: answered, attachments: ids, ...message }) {
    const body = { ...message, attachments: filesOf(ids) };
    return sentOf(await call.route("reply", { params: { id: answered }, body }));
  },
});
