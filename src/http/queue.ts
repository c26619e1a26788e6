import { z } from "zod";
import { mailboxAt } from "../inbound/mailbox-stub.ts";
import { canonicalAddress } from "../mail/address.ts";

/** What of an event says whose it is; the rest the mailbox reads. */
const Owned = z.object({ payload: z.object({ sender: z.string().max(1_000) }) });

/** The platform's events may come before the answer that names the message: so long until one is asked for again. */
const RETRY_SECONDS = 60;

/**
 * What the platform's sending service says of mail that it took (OUTBOUND=cloudflare). An event that no mailbox can use is
 * done with; one that came too early, and one that met a fault, come again.
 */
export async function receiveSendingEvents(batch: MessageBatch, env: Env): Promise<void> {
  for (const message of batch.messages) {
    const owned = Owned.safeParse(message.body);
    const address = owned.success ? canonicalAddress(owned.data.payload.sender) : null;
    const isDone =
      address === null || (await mailboxAt(env, address).sendingEvent(JSON.stringify(message.body)));
    if (isDone) message.ack();
    else message.retry({ delaySeconds: RETRY_SECONDS });
  }
}
