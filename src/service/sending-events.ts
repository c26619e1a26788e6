import * as z from "zod";
import { configOf } from "../config/env.ts";
import { mailboxBehind } from "./mailbox-stub.ts";
import { locatorReached } from "./reached.ts";
import { canonicalAddress } from "../mail/address/address.ts";

/** The part of an event that names its sender. The mailbox reads the rest. */
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
 * Receives delivery events of the platform's sending service (OUTBOUND=cloudflare). Each event of a batch is settled by itself: an
 * event that no mailbox can use is acknowledged; an event that arrives before the message is recorded, or meets an error, is
 * delivered again later. Never rejects: that would repeat the whole batch.
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
 * Passes an event to the mailbox that its sender's address reaches. Only the mailbox that sent a message knows the platform's id
 * of it, so an event about mail of a domain's former holder changes nothing in the mailbox that holds the domain now.
 */
async function isDone(body: unknown, env: Env): Promise<boolean> {
  const owned = Owned.safeParse(body);
  const address = owned.success ? canonicalAddress(owned.data.payload.sender) : null;
  if (address === null) return true;
  const locator = await locatorReached(address, env, configOf(env));
  return mailboxBehind(env, locator).sendingEvent(JSON.stringify(body));
}
