import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { invalid, problemBody, STATUS, type Answer, type Problem } from "../../contract/problem.ts";
import { readCheckedSender, SENDER_CHECK_HEADER, type CheckedSender } from "../../contract/checked-sender.ts";
import type { Config } from "../../config/env.ts";
import { known, reported, type FindSender } from "../../service/sender-check.ts";
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
    const checked = readCheckedSender(request.headers.get(SENDER_CHECK_HEADER));
    if (checked === undefined) {
      return refused(
        invalid(SENDER_CHECK_HEADER, "must be what the SMTP listener of this version sends; leave it out"),
      );
    }
    const raw = await readBytes(request, MAX_MESSAGE_BYTES);
    if (raw === null) {
      return refused({
        code: "too_large",
        error: `Message too large (max ${MAX_MESSAGE_BYTES} bytes)`,
        fix: `Hand over a message of at most ${MAX_MESSAGE_BYTES} bytes.`,
      });
    }
    const envelope = { from, via, clientAddress: client, helo };
    const sender = findSender(raw, checked, { env, config });
    const outcomes = await receiveForAll(raw, { envelope, recipients, sender }, env, config);
    notesOf(request).messages = outcomes.flatMap(({ received }) => (received.ok ? [received.value.id] : []));
    const [only, ...others] = outcomes;
    if (only !== undefined && others.length === 0) {
      return asHandedOver(only.received);
    }
    return done({ recipients: outcomes.map(outcomeBody) });
  },
} satisfies HandlersOf<typeof inboundRoutes>;

/** For mail from our own SMTP listener only the listener's findings count, because the mail's own header is the sender's. */
function findSender(
  raw: Uint8Array,
  checked: CheckedSender | "unchecked" | null,
  { env, config }: { env: Env; config: Config },
): FindSender {
  if (checked === null) {
    return reported(raw, { kind: "border", authservId: config.authservId }, { env, config });
  }
  return known(checked === "unchecked" ? null : { kind: "self", checked });
}

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
