import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { isRefusedByRules, STATUS, type Answer } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import type { Envelope } from "../mail/prepare.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import { known } from "./sender-check.ts";
import { arriving, isWhole, type Arriving, type PassingMessage, type WholeMessage } from "./arriving.ts";
import { MAX_ROW_BYTES } from "./blob-choice.ts";
import { addressedTo, readOnce, store } from "./receive.ts";
import { receiveLarge, type Addressed } from "./receive-large.ts";
import { Attempt, AttemptEnded, tryLimitMs } from "../outbound/attempt.ts";
import { withoutReply } from "../outbound/reply.ts";
import { sameForAll, faultOf, NOT_SENDABLE, sendableRecipients } from "../outbound/results.ts";
import type { OutboundMail, RecipientResult, Transport } from "../outbound/transport.ts";

type Result = Omit<RecipientResult, "recipient">;

const TOO_LARGE: Result = {
  result: { kind: "refused" },
  code: 552,
  enhancedCode: "5.3.4",
  diagnostic: `552 5.3.4 Message too large (max ${MAX_MESSAGE_BYTES} bytes)`,
  fault: "recipient",
  concernsAll: false,
  providerId: null,
};
const DELIVERED: Result = {
  result: { kind: "taken" },
  code: 250,
  enhancedCode: "2.1.5",
  diagnostic: "250 2.1.5 Delivered inside this deployment",
  fault: null,
  concernsAll: false,
  providerId: null,
};
const UNKNOWN: Result = {
  result: { kind: "refused" },
  code: 550,
  enhancedCode: "5.1.1",
  diagnostic: "550 5.1.1 No such mailbox",
  fault: "address",
  concernsAll: false,
  providerId: null,
};
const LOCAL_ERROR: Result = {
  result: { kind: "deferred" },
  code: 451,
  enhancedCode: "4.3.0",
  diagnostic: "451 4.3.0 Local error",
  fault: null,
  concernsAll: false,
  providerId: null,
};

/**
 * Delivers to mailboxes of this deployment, from actor to actor; the mailbox receives the message like any other mail. If a
 * try is repeated after a crash, the receiving mailbox recognizes the duplicate by Message-ID and content, so this
 * transport does not call `beforeEnd`.
 *
 * @param limitMs time limit of one try in ms, to which the size of the message adds; undefined = the default.
 */
export function insideTransport(env: Env, config: () => Config, limitMs?: number): Transport {
  return {
    name: "local",
    // Each recipient's result is known at once, so there are no delivery reports.
    showsReturnPath: false,
    maxBytes: MAX_MESSAGE_BYTES,
    async send(mail, signal) {
      if (mail.sizeBytes > MAX_MESSAGE_BYTES) return sameForAll(mail, TOO_LARGE);
      const attempt = new Attempt(mail, signal, tryLimitMs(mail.sizeBytes, limitMs));
      try {
        const fault = faultOf(mail, MAX_MESSAGE_BYTES);
        if (fault !== null) return sameForAll(mail, withoutReply("impossible", fault));
        const by = { env, config: config() };
        const message = await messageOf(attempt);
        return await (isWhole(message)
          ? deliverSmall(attempt, message, by)
          : deliverLarge(attempt, message, by));
      } catch (error) {
        return sameForAll(mail, later(error));
      } finally {
        await attempt.close();
      }
    },
  };
}

/** A deployment, as those see it who deliver in it. */
interface By {
  env: Env;
  config: Config;
}

async function messageOf(attempt: Attempt): Promise<Arriving> {
  const { sizeBytes } = attempt.mail;
  return sizeBytes > MAX_ROW_BYTES ? arriving(attempt.chunks(), sizeBytes) : { raw: await attempt.whole() };
}

/**
 * Delivers to one recipient after another. If time runs out, recipients that may already have the message are tried again:
 * a repeat is a duplicate.
 */
async function deliverSmall(attempt: Attempt, message: WholeMessage, by: By): Promise<RecipientResult[]> {
  const { mail } = attempt;
  const sender = known(null);
  const reading = readOnce();
  const deliver = async (recipient: string): Promise<Result> => {
    const addressed = await addressedTo(envelopeTo(recipient, mail), by);
    if (addressed === null) return UNKNOWN;
    const { envelope, to } = addressed;
    return resultOf(await store({ message, envelope, sender }, to, reading));
  };
  const sendable = new Set(sendableRecipients(mail));
  const results: RecipientResult[] = [];
  for (const recipient of mail.recipients) {
    const said = sendable.has(recipient) ? await attempted(attempt, () => deliver(recipient)) : NOT_SENDABLE;
    results.push({ recipient, ...said });
  }
  return results;
}

/** Delivers a message that is read once, while it passes. If that fails, all recipients are tried again. */
async function deliverLarge(attempt: Attempt, message: PassingMessage, by: By): Promise<RecipientResult[]> {
  const { mail } = attempt;
  const found = new Map<string, Addressed | null>();
  try {
    for (const recipient of sendableRecipients(mail))
      found.set(recipient, await attempt.race(addressedTo(envelopeTo(recipient, mail), by)));
    const addressed = [...found.values()].filter((one) => one !== null);
    const received = await attempt.race(
      receiveLarge({ message, sender: known(null) }, addressed, (error) => {
        throw error;
      }),
    );
    return mail.recipients.map((recipient) => {
      const one = found.get(recipient);
      if (one === undefined) return { recipient, ...NOT_SENDABLE };
      const answer = one === null ? undefined : received[addressed.indexOf(one)];
      return { recipient, ...(answer === undefined ? UNKNOWN : resultOf(answer)) };
    });
  } finally {
    await message.close();
  }
}

async function attempted(attempt: Attempt, work: () => Promise<Result>): Promise<Result> {
  try {
    attempt.signal.throwIfAborted();
    return await attempt.race(work());
  } catch (error) {
    return later(error);
  }
}

/** The result of an error of this server, which the sender sees without details; or of the end of the try, with the reason. */
function later(error: unknown): Result {
  if (error instanceof AttemptEnded) return withoutReply("deferred", error.message);
  console.error(
    "A message to a mailbox of this deployment could not be delivered and is tried again:",
    error,
  );
  return LOCAL_ERROR;
}

/** The recipient's rules refuse this message; the address still takes mail of other senders. */
function byRules(error: string): Result {
  return {
    result: { kind: "refused" },
    code: 550,
    enhancedCode: "5.7.1",
    diagnostic: `550 5.7.1 ${error}`,
    fault: "recipient",
    concernsAll: false,
    providerId: null,
  };
}

function envelopeTo(recipient: string, mail: OutboundMail): Envelope {
  return { from: mail.returnPath, to: recipient, via: "api", clientAddress: null, helo: null };
}

function resultOf(received: Answer<Received>): Result {
  if (received.ok) return DELIVERED;
  const { code, error } = received.error;
  if (isRefusedByRules(received.error)) return byRules(error);
  if (STATUS[code] === STATUS.not_found) return UNKNOWN;
  return {
    result: { kind: "deferred" },
    code: 452,
    enhancedCode: "4.2.2",
    diagnostic: `452 4.2.2 ${error}`,
    fault: "passing",
    concernsAll: false,
    providerId: null,
  };
}
