import { NOT_STORED, UNKNOWN_MAILBOX, type Answer } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Envelope } from "../mail/prepare.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import { countReceipts } from "./count-receipts.ts";
import { locatorReached } from "./reached.ts";
import type { FindSender } from "./sender-check.ts";
import type { SharedCalls } from "./shared-calls.ts";
import { BodyLost } from "../lib/body-bytes.ts";
import { isWhole, MessageTooLong, type Arriving, type WholeMessage } from "./arriving.ts";
import { readOnce, readRecipient, store } from "./receive.ts";
import { receiveLarge, type Addressed, type LargeMail } from "./receive-large.ts";
import { withRetries } from "./store-mail.ts";

/** Mailboxes that store a small message at the same time. */
const PARALLEL_MAILBOXES = 8;

/** The outcome of a message for one recipient. */
export interface RecipientOutcome {
  to: string;
  received: Answer<Received>;
}

/** How a message was handed over. */
interface Handed {
  envelope: Omit<Envelope, "to" | "alsoTo">;
  recipients: readonly string[];
  sender: FindSender;
  /** Takes messages without blobs, so that several share a call; undefined: each has a call of its own. */
  sharedCalls?: SharedCalls;
}

/** The recipients of one mailbox. */
interface Addressee {
  /** The recipients as the sender wrote them. */
  named: string[];
  /** The same in the form of `to_address`, in order, without repeats. */
  written: Set<string>;
}

/**
 * Receives one message for all of its recipients: it is parsed once, and each mailbox stores one copy, however many of the
 * recipients reach it. The outcomes are in the order of the recipients; a fault at one mailbox does not concern the others.
 * Throws {@link BodyLost} and {@link MessageTooLong}.
 */
export async function receiveForAll(
  message: Arriving,
  { envelope, recipients, sender, sharedCalls }: Handed,
  env: Env,
  config: Config,
): Promise<RecipientOutcome[]> {
  const startMs = performance.now();
  const { mailboxes, outcomes } = await mailboxesOf(recipients, env, config);
  const addressed = [...mailboxes].map(([locator, { named, written }]) => {
    const [to = "", ...alsoTo] = written;
    return { named, envelope: { ...envelope, to, alsoTo }, to: { env, locator, sharedCalls } };
  });
  const received = isWhole(message)
    ? await smallForAll(message, sender, addressed)
    : await largeForAll({ message, sender }, addressed);
  for (const [index, { named }] of addressed.entries()) {
    for (const name of named) outcomes.set(name, received[index] ?? refused(NOT_STORED));
  }
  const answers = recipients.map((to) => ({ to, received: outcomes.get(to) ?? refused(NOT_STORED) }));
  const results = answers.map((answer) => answer.received);
  const bytes = isWhole(message) ? message.raw.byteLength : message.passedBytes;
  countReceipts(envelope.via, results, { bytes, startMs });
  return answers;
}

async function smallForAll(
  message: WholeMessage,
  sender: FindSender,
  mailboxes: readonly Addressed[],
): Promise<Answer<Received>[]> {
  const answers: Answer<Received>[] = [];
  const reading = readOnce();
  const queue = mailboxes.entries();
  const work = async (): Promise<void> => {
    for (const [index, { envelope, to }] of queue)
      answers[index] = await orTryAgain(() => store({ message, envelope, sender }, to, reading));
  };
  await Promise.all(Array.from({ length: PARALLEL_MAILBOXES }, work));
  return answers;
}

function largeForAll(mail: LargeMail, mailboxes: readonly Addressed[]): Promise<Answer<Received>[]> {
  return receiveLarge(mail, mailboxes, (error) => {
    if (error instanceof BodyLost || error instanceof MessageTooLong) throw error;
    return tryAgain(error);
  });
}

/** The mailboxes that the recipients reach, by locator, and the outcomes of recipients that reach none. */
async function mailboxesOf(
  recipients: readonly string[],
  env: Env,
  config: Config,
): Promise<{ mailboxes: Map<string, Addressee>; outcomes: Map<string, Answer<Received>> }> {
  const mailboxes = new Map<string, Addressee>();
  const outcomes = new Map<string, Answer<Received>>();
  const locators = new Map<string, Answer<string>>();
  const locate = (address: string) =>
    orTryAgain(async () => done(await withRetries(() => locatorReached(address, env, config))));
  for (const name of recipients) {
    const recipient = readRecipient(name);
    if (recipient === null) {
      outcomes.set(name, refused(UNKNOWN_MAILBOX));
      continue;
    }
    const locator = locators.get(recipient.canonical) ?? (await locate(recipient.canonical));
    locators.set(recipient.canonical, locator);
    if (!locator.ok) {
      outcomes.set(name, locator);
      continue;
    }
    const addressee = mailboxes.get(locator.value) ?? { named: [], written: new Set<string>() };
    mailboxes.set(locator.value, addressee);
    addressee.named.push(name);
    addressee.written.add(recipient.written);
  }
  return { mailboxes, outcomes };
}

async function orTryAgain<T>(work: () => Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await work();
  } catch (error) {
    return tryAgain(error);
  }
}

/** The sender's server keeps the message and tries again. */
function tryAgain(error: unknown): Answer<never> {
  console.error("A message could not be stored:", error);
  return refused(NOT_STORED);
}
