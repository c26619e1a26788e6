import { invalid, type Answer } from "../../contract/problem.ts";
import type { SendBody } from "../../contract/sending.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Ancestry } from "../../mail/answered-mail.ts";
import { readMessageId } from "../../mail/outgoing-fields.ts";
import type { Keyed } from "../../mailbox/accept.ts";
import { json } from "../answers.ts";
import { uploadsFor } from "../outgoing-files.ts";
import type { Handlers } from "../call.ts";

/** Visible ASCII: what a header can carry whatever stands between client and service. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export const sendingHandlers: Pick<Handlers, "send" | "listSuppressions" | "deleteSuppression"> = {
  async send({ env, mailbox, access, input, request }) {
    const { body, query } = input;
    const keyed = keyOf(request, body);
    const ancestry = ancestryOf(body);
    const fault = [keyed, ancestry].find((part) => !part.ok);
    const asked = fault?.ok === false ? { ...access, fault: fault.error } : access;
    const files = await uploadsFor({ env, mailbox, access: asked }, body.attachments);
    if (!files.ok) return files;
    const { attachments: _, ...draft } = body;
    const wait = { seconds: query.wait, id: uuidV7(Date.now()) };
    request.signal.addEventListener("abort", () => void mailbox.forget(wait.id));
    const sent = await mailbox.send(
      asked,
      {
        draft,
        files: files.value,
        ancestry: ancestry.ok ? ancestry.value : NO_ANCESTRY,
        keyed: keyed.ok ? keyed.value : null,
      },
      wait,
    );
    return sent.ok ? done(json(sent.value)) : sent;
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

const NO_ANCESTRY: Ancestry = { inReplyTo: null, references: [] };

/** What the request is repeated under; null without a key. */
function keyOf(request: Request, body: unknown): Answer<Keyed | null> {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return done(null);
  if (!IDEMPOTENCY_KEY.test(key)) {
    return refused(invalid("Idempotency-Key", "must be 1 to 255 characters of visible ASCII"));
  }
  return done({ key, digest: sha256Hex(JSON.stringify(body)) });
}

/** Where a message belongs that says which one it answers. */
function ancestryOf({ in_reply_to }: Pick<SendBody, "in_reply_to">): Answer<Ancestry> {
  const id = readMessageId("in_reply_to", in_reply_to);
  if (!id.ok) return id;
  return done({ inReplyTo: id.value, references: id.value === null ? [] : [id.value] });
}
