import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { problemBody, STATUS, type Answer, type Problem } from "../../contract/problem.ts";
import type { inboundRoutes } from "../../contract/routes/inbound.ts";
import { receiveForAll, type RecipientOutcome } from "../../service/receive-for-all.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Received } from "../../mailbox/receiving/receiving.ts";
import type { HandlersOf } from "../call.ts";
import { notesOf } from "../request-notes.ts";
import { readBytes } from "../request-input.ts";

/** A full mailbox stays full for hours rather than seconds. */
const FULL_RETRY_SECONDS = 3_600;

export const inboundHandlers = {
  async inbound({ request, env, config, input }) {
    const { from, to: recipients, via, client, helo } = input.query;
    const raw = await readBytes(request, MAX_MESSAGE_BYTES);
    if (raw === null) {
      return refused({
        code: "too_large",
        error: `Message too large (max ${MAX_MESSAGE_BYTES} bytes)`,
        fix: `Hand over a message of at most ${MAX_MESSAGE_BYTES} bytes.`,
      });
    }
    const envelope = { from, via, clientAddress: client, helo };
    const outcomes = await receiveForAll(raw, { envelope, recipients }, env, config);
    notesOf(request).messages = outcomes.flatMap(({ received }) => (received.ok ? [received.value.id] : []));
    const [only, ...others] = outcomes;
    if (only !== undefined && others.length === 0) {
      return asHandedOver(only.received);
    }
    return done({ recipients: outcomes.map(outcomeBody) });
  },
} satisfies HandlersOf<typeof inboundRoutes>;

function outcomeBody({ to, received }: RecipientOutcome) {
  const outcome = asHandedOver(received);
  return outcome.ok
    ? { to, status: 202, ...outcome.value }
    : { to, status: STATUS[outcome.error.code], ...problemBody(outcome.error) };
}

/** A full mailbox is a temporary refusal: there may be room when the sender tries again. */
function asHandedOver(received: Answer<Received>): Answer<Received> {
  if (received.ok || received.error.code !== "mailbox_full") return received;
  const full: Problem = {
    code: "unavailable",
    error: received.error.error,
    retryAfterSeconds: FULL_RETRY_SECONDS,
    extra: { full: true },
  };
  return refused(full);
}
