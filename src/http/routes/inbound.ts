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
import { bodyBytes, wholeBody } from "../../lib/body-bytes.ts";
import { arriving, arrivingFrom, isWhole, MessageTooLong, type Arriving } from "../../service/arriving.ts";
import { MAX_ROW_BYTES } from "../../service/blob-choice.ts";
import { announcedBytes } from "../request-input.ts";

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
    const message = await messageOf(request);
    if (message === null) return refused(TOO_LARGE);
    const envelope = { from, via, clientAddress: client, helo };
    const sender = findSender(checked, { env, config });
    const outcomes = await orTooLong(message, () =>
      receiveForAll(message, { envelope, recipients, sender }, env, config),
    );
    if (outcomes === null) return refused(TOO_LARGE);
    notesOf(request).messages = outcomes.flatMap(({ received }) => (received.ok ? [received.value.id] : []));
    const [only, ...others] = outcomes;
    if (only !== undefined && others.length === 0) {
      return asHandedOver(only.received);
    }
    return done({ recipients: outcomes.map(outcomeBody) });
  },
} satisfies HandlersOf<typeof inboundRoutes>;

const TOO_LARGE: Problem = {
  code: "too_large",
  error: `Message too large (max ${MAX_MESSAGE_BYTES} bytes)`,
  fix: `Hand over a message of at most ${MAX_MESSAGE_BYTES} bytes.`,
};

/** The message in a request; null if it is too large. Of a large one only the beginning is read. */
async function messageOf(request: Request): Promise<Arriving | null> {
  const announced = announcedBytes(request);
  if (announced !== null && announced > MAX_MESSAGE_BYTES) return null;
  if (announced !== null && announced <= MAX_ROW_BYTES) return arrivingFrom(await wholeBody(request));
  return request.body === null
    ? arrivingFrom(new Uint8Array())
    : arriving(bodyBytes(request.body), announced);
}

/** The result of `work`; null if the message turns out to be too large. Its rest is read, so that the client hears the answer. */
async function orTooLong<T>(message: Arriving, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MessageTooLong) return null;
    throw error;
  } finally {
    if (!isWhole(message)) await message.drain();
  }
}

/** For mail from our own SMTP listener only the listener's findings count, because the mail's own header is the sender's. */
function findSender(
  checked: CheckedSender | "unchecked" | null,
  { env, config }: { env: Env; config: Config },
): FindSender {
  if (checked === null) {
    return reported({ kind: "border", authservId: config.authservId }, { env, config });
  }
  return known(checked === "unchecked" ? null : { kind: "self", checked });
}

/** The outcome for one recipient: the status of the answer if it were the only one, with the members of that answer. */
export function outcomeBody({ to, received }: RecipientOutcome) {
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
