import type { Answer } from "../contract/problem.ts";
import { done } from "../lib/outcome.ts";
import { envelopeOf } from "../mail/prepare.ts";
import { closeMessage } from "./arriving.ts";
import { storedMessage, type MailboxAccess } from "./message-source.ts";
import { receiveReleased } from "./receive.ts";
import { known } from "./sender-check.ts";

/**
 * Stores a refused mail as one that is received now, and answers the id of the email. A repeat answers the same id. 404 if it is
 * not kept, 507 if the mailbox is full.
 */
export async function releaseRefused(
  { env, mailbox, access }: MailboxAccess,
  id: string,
): Promise<Answer<string>> {
  const found = await mailbox.refusedMail(access, id);
  if (!found.ok) return found;
  if (found.value.kind === "released") return done(found.value.emailId);
  const { bytes, key, sizeBytes, arrival } = found.value;
  const message = await storedMessage(env, mailbox, { bytes, key, sizeBytes });
  if (!message.ok) return message;
  // The sender was judged when the mail arrived. Old header fields are not read again under the settings of today.
  const sender = known({ kind: "kept", authentication: arrival.authentication });
  const mail = { message: message.value, envelope: envelopeOf(arrival.metadata), sender };
  try {
    const received = await receiveReleased(mail, { env, locator: mailbox.name ?? "", released: id });
    return received.ok ? done(received.value.id) : received;
  } finally {
    await closeMessage(message.value);
  }
}
