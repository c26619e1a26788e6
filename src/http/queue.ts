import * as z from "zod";
import { configOf } from "../config/env.ts";
import { mailboxBehind } from "../service/mailbox-stub.ts";
import { locatorReached } from "../service/reached.ts";
import { canonicalAddress } from "../mail/address.ts";

/** The part of an event that says whose it is; the rest the mailbox reads. */
const Owned = z.object({ payload: z.object({ sender: z.string().max(1_000) }) });

/**
 * Waits before an event is delivered again. A Queue delivers three more times unless its consumer is set up otherwise
 * (`max_retries`), so three waits must outlast the longest try of a message, whose lease is 15 minutes: 1, 5 and 25 minutes.
 */
const FIRST_RETRY_SECONDS = 60;
const RETRY_GROWTH = 5;
/** The longest delay that a Queue allows: twelve hours. */
const MAX_RETRY_SECONDS = 43_200;

/**
 * Takes what the platform's sending service says of mail that it carries (OUTBOUND=cloudflare). Each event of a batch is
 * settled by itself. An event that no mailbox can use is acknowledged; one that came before our own record of the message,
 * and one that met a fault, is delivered again later. Never rejects: that would repeat the whole batch.
 */
export async function receiveSendingEvents(batch: MessageBatch, env: Env): Promise<void> {
  await Promise.all(batch.messages.map((message) => settle(message, env)));
}

async function settle(message: Message, env: Env): Promise<void> {
  try {
    if (await isDone(message.body, env)) return message.ack();
  } catch (error) {
    console.error("A sending event met a fault and is asked for again:", error);
  }
  message.retry({ delaySeconds: retryDelay(message.attempts) });
}

/** Seconds to wait after the `attempts`-th delivery. */
function retryDelay(attempts: number): number {
  return Math.min(FIRST_RETRY_SECONDS * RETRY_GROWTH ** (attempts - 1), MAX_RETRY_SECONDS);
}

/**
 * Gives an event to the mailbox that its sender's address reaches: only the mailbox that sent a message knows the platform's
 * name of it, so an event about mail of a domain's former holder moves nothing in the mailbox that holds it now.
 */
async function isDone(body: unknown, env: Env): Promise<boolean> {
  const owned = Owned.safeParse(body);
  const address = owned.success ? canonicalAddress(owned.data.payload.sender) : null;
  if (address === null) return true;
  const locator = await locatorReached(address, env, configOf(env));
  return mailboxBehind(env, locator).sendingEvent(JSON.stringify(body));
}
