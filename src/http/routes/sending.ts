import { NO_CURSOR } from "../../contract/parameters.ts";
import { invalid, type Answer } from "../../contract/problem.ts";
import type { SendBody } from "../../contract/sending.ts";
import { done } from "../../lib/outcome.ts";
import { sealed, unsealed } from "../../lib/sealed-text.ts";
import { forwardDraft, replyDraft, sendDraft, type Written } from "../../mail/compose/answer-drafts.ts";
import { readMessageId } from "../../mail/compose/outgoing-fields.ts";
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
    const after = cursor === null ? "" : unsealed(cursor);
    const fault = after === null ? invalid("cursor", NO_CURSOR) : null;
    const asked = { after: fromCursor(after ?? ""), limit: limit + 1 };
    const page = await mailbox.suppressions({ ...access, fault }, asked);
    if (!page.ok) return page;
    const shown = page.value.slice(0, limit);
    const last = page.value.length > limit ? shown.at(-1) : undefined;
    return done(
      json({
        suppressions: shown,
        next_cursor: last === undefined ? null : sealed(toCursor(last.address)),
      }),
    );
  },

  async deleteSuppression({ mailbox, access, input }) {
    const forgiven = await mailbox.forgive(access, input.params.address);
    return forgiven.ok ? done(json(forgiven.value)) : forgiven;
  },
};

const toCursor = (address: string) => Buffer.from(address).toString("base64url");
const fromCursor = (text: string) => Buffer.from(text, "base64url").toString();

/** A message as it was asked for; of one that it says it answers, and the mailbox holds, it takes the ancestors along. */
async function written(asked: Asked, body: SendBody): Promise<Answer<Written>> {
  const id = readMessageId("in_reply_to", body.in_reply_to);
  if (!id.ok) return id;
  const email = id.value === null ? done(null) : await readByMessageId(asked, id.value);
  return email.ok ? sendDraft(body, id.value, email.value) : email;
}
