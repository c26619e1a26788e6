import { MAX_MESSAGE_BYTES } from "../contract/limits.ts";
import { isRefusedByRules, STATUS } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { known } from "./sender-check.ts";
import { readOnce, receiveBy, type Reading } from "./receive.ts";
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
        const raw = await attempt.whole();
        const reading = readOnce();
        return await deliverEach(attempt, (recipient) =>
          deliver(raw, { mail, recipient, reading }, env, config()),
        );
      } catch (error) {
        return sameForAll(mail, later(error));
      } finally {
        await attempt.close();
      }
    },
  };
}

/**
 * Delivers to one recipient after another. If time runs out, recipients that may already have the message are tried again:
 * a repeat is a duplicate.
 */
async function deliverEach(
  attempt: Attempt,
  deliverTo: (recipient: string) => Promise<Result>,
): Promise<RecipientResult[]> {
  const { recipients } = attempt.mail;
  const sendable = new Set(sendableRecipients(attempt.mail));
  const results: RecipientResult[] = [];
  for (const recipient of recipients) {
    const said = sendable.has(recipient)
      ? await attempted(attempt, () => deliverTo(recipient))
      : NOT_SENDABLE;
    results.push({ recipient, ...said });
  }
  return results;
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

async function deliver(
  raw: Uint8Array,
  { mail, recipient, reading }: { mail: OutboundMail; recipient: string; reading: Reading },
  env: Env,
  config: Config,
): Promise<Result> {
  const envelope = {
    from: mail.returnPath,
    to: recipient,
    via: "api" as const,
    clientAddress: null,
    helo: null,
  };
  const received = await receiveBy(reading, { raw, envelope, sender: known(null) }, { env, config });
  if (received.ok) return DELIVERED;
  const { code, error } = received.error;
  if (isRefusedByRules(received.error)) return byRules(error);
  return STATUS[code] === STATUS.not_found
    ? {
        result: { kind: "refused" },
        code: 550,
        enhancedCode: "5.1.1",
        diagnostic: "550 5.1.1 No such mailbox",
        fault: "address",
        concernsAll: false,
        providerId: null,
      }
    : {
        result: { kind: "deferred" },
        code: 452,
        enhancedCode: "4.2.2",
        diagnostic: `452 4.2.2 ${error}`,
        fault: "passing",
        concernsAll: false,
        providerId: null,
      };
}
