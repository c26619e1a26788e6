import { UNKNOWN_MAILBOX, type Answer, type Problem } from "../contract/problem.ts";
import type { Config } from "../config/env.ts";
import { done, refused } from "../lib/outcome.ts";
import type { Envelope } from "../mail/prepare.ts";
import type { Received } from "../mailbox/receiving/receiving.ts";
import { countReceipts } from "./count-receipts.ts";
import { locatorReached } from "./reached.ts";
import type { FindSender } from "./sender-check.ts";
import { isLarge, readOnce, readRecipient, store, withRetries } from "./receive.ts";

/** Mailboxes that store a small message at the same time. A large one is in memory once for each, so one after the other. */
const PARALLEL_MAILBOXES = 8;

const NOT_STORED: Problem = {
  code: "unavailable",
  error: "The message could not be stored; try again",
  retryAfterSeconds: 30,
};

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
 */
export async function receiveForAll(
  raw: Uint8Array,
  { envelope, recipients, sender }: Handed,
  env: Env,
  config: Config,
): Promise<RecipientOutcome[]> {
  const startMs = performance.now();
  const { mailboxes, outcomes } = await mailboxesOf(recipients, env, config);
  const reading = readOnce();
  const queue = mailboxes.entries();
  const work = async (): Promise<void> => {
    for (const [locator, { named, written }] of queue) {
      const [to = "", ...alsoTo] = written;
      const mail = { raw, envelope: { ...envelope, to, alsoTo }, sender };
      const received = await orTryAgain(() => store(mail, { env, locator }, reading));
      for (const name of named) outcomes.set(name, received);
    }
  };
  await Promise.all(Array.from({ length: isLarge(raw) ? 1 : PARALLEL_MAILBOXES }, work));
  const answers = recipients.map((to) => ({ to, received: outcomes.get(to) ?? refused(NOT_STORED) }));
  const results = answers.map(({ received }) => received);
  countReceipts(envelope.via, results, { bytes: raw.byteLength, startMs });
  return answers;
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
    // The sender's server keeps the message and tries again.
    console.error("A message could not be stored:", error);
    return refused(NOT_STORED);
  }
}
