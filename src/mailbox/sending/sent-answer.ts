import type { MessageStatus } from "../../contract/message.ts";
import type { Sent } from "../../contract/sending.ts";

/** The parts of the answer to a send that the email itself tells. */
export type SentParts = Omit<Sent, "id" | "provider_id" | "sends_today" | "daily_send_limit">;

/** Parts of the answer that are kept with an Idempotency-Key when the email is deleted: a repeat answers the same. */
export interface DeletedParts {
  thread_id: string;
  message_id: string;
  status: Sent["status"];
}

/** States that a recipient reaches only after a host took the message. */
const TAKEN: ReadonlySet<MessageStatus> = new Set(["sent", "delivered", "complained"]);

/**
 * `status` of the answer to a send, which has two values whatever became of the email since: `sent` once a host took it for a
 * recipient and no recipient waits for a try. `toldSent`: the log told that a host took it.
 */
export function answeredStatus(status: MessageStatus, toldSent: boolean): Sent["status"] {
  return status !== "queued" && (toldSent || TAKEN.has(status)) ? "sent" : "queued";
}

/** Stands in the answer to a repeat of a send whose email is deleted. */
export const DELETED_HINT = "The email was deleted since; `status` is how it stood then";
