import type { Answer } from "../../contract/problem.ts";
import type { sendingRoutes } from "../../contract/routes/sending.ts";
import type { SendBody } from "../../contract/sending.ts";
import { done } from "../../lib/outcome.ts";
import { forwardDraft, replyDraft, sendDraft, type Written } from "../../mail/compose/answer-drafts.ts";
import { readMessageId } from "../../mail/compose/outgoing-fields.ts";
import type { MailboxAccess } from "../../service/message-source.ts";
import { readByMessageId, readToAnswer, submit, type SendingCall } from "../../service/submit.ts";
import type { CallFor, HandlersOf } from "../call.ts";

export const sendingHandlers = {
  send: (call) => submit(sending(call), call.input.body, () => written(call, call.input.body)),

  async reply(call) {
    const { body, params } = call.input;
    return submit(sending(call), { reply: params.id, ...body }, async () => {
      const email = await readToAnswer(call, params.id);
      return email.ok ? replyDraft(email.value, body) : email;
    });
  },

  async forward(call) {
    const { body, params } = call.input;
    return submit(sending(call), { forward: params.id, ...body }, async () => {
      const email = await readToAnswer(call, params.id);
      return email.ok ? forwardDraft(email.value, body) : email;
    });
  },
} satisfies HandlersOf<typeof sendingRoutes>;

function sending({
  request,
  input,
  ...call
}: CallFor<(typeof sendingRoutes)[keyof typeof sendingRoutes]>): SendingCall {
  const idempotencyKey = request.headers.get("Idempotency-Key");
  return { ...call, idempotencyKey, waitSeconds: input.query.wait, signal: request.signal };
}

/** The message that a body describes. If it says which email it answers, and the mailbox holds that, it continues its thread. */
async function written(to: MailboxAccess, body: SendBody): Promise<Answer<Written>> {
  const id = readMessageId("in_reply_to", body.in_reply_to);
  if (!id.ok) return id;
  const email = id.value === null ? done(null) : await readByMessageId(to, id.value);
  return email.ok ? sendDraft(body, id.value, email.value) : email;
}
