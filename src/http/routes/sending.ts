import type { Answer } from "../../contract/problem.ts";
import type { SendBody } from "../../contract/sending.ts";
import { done } from "../../lib/outcome.ts";
import { forwardDraft, replyDraft, sendDraft, type Written } from "../../mail/answer-drafts.ts";
import { readMessageId } from "../../mail/outgoing-fields.ts";
import { json } from "../answers.ts";
import type { Handlers } from "../call.ts";
import type { Asked } from "../message-source.ts";
import { readByMessageId, readToAnswer, submit } from "../submit.ts";

export const sendingHandlers: Pick<
  Handlers,
  "send" | "reply" | "forward" | "listSuppressions" | "deleteSuppression"
> = {
  send: (call) => submit(call, call.input.body, () => written(call, call.input.body)),

  async reply(call) {
    const { body, params } = call.input;
    return submit(call, { reply: params.id, ...body }, async () => {
      const email = await readToAnswer(call, params.id);
      return email.ok ? replyDraft(email.value, body) : email;
    });
  },

  async forward(call) {
    const { body, params } = call.input;
    return submit(call, { forward: params.id, ...body }, async () => {
      const email = await readToAnswer(call, params.id);
      return email.ok ? forwardDraft(email.value, body) : email;
    });
  },

  async listSuppressions({ mailbox, access, input }) {
    const { limit, cursor } = input.query;
    const after = Buffer.from(cursor ?? "", "base64url").toString();
    const page = await mailbox.suppressions(access, { after, limit: limit + 1 });
    if (!page.ok) return page;
    const shown = page.value.slice(0, limit);
    const last = page.value.length > limit ? shown.at(-1) : undefined;
    return done(
      json({
        suppressions: shown,
        next_cursor: last === undefined ? null : Buffer.from(last.address).toString("base64url"),
      }),
    );
  },

  async deleteSuppression({ mailbox, access, input }) {
    const forgiven = await mailbox.forgive(access, input.params.address);
    return forgiven.ok ? done(json(forgiven.value)) : forgiven;
  },
};

/** A message as it was asked for; of one that it says it answers, and the mailbox holds, it takes the ancestors along. */
async function written(asked: Asked, body: SendBody): Promise<Answer<Written>> {
  const id = readMessageId("in_reply_to", body.in_reply_to);
  if (!id.ok) return id;
  const email = id.value === null ? done(null) : await readByMessageId(asked, id.value);
  return email.ok ? sendDraft(body, id.value, email.value) : email;
}
