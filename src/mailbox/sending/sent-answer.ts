import type { MessageStatus } from "../../contract/message.ts";
import type { Sent } from "../../contract/sending.ts";

/** The parts of the answer to a send that are read from the email itself. */
export type SentParts = Omit<Sent, "id" | "provider_id" | "sends_today" | "daily_send_limit">;

/**
 * The parts of the answer that are stored with the Idempotency-Key when the email is deleted, so that a repeated send still
 * gets its answer.
 */
export interface DeletedParts {
  thread_id: string;
  message_id: string;
  status: Sent["status"];
}

/** Statuses that a message reaches only after a host accepted it. */
const TAKEN: ReadonlySet<MessageStatus> = new Set(["sent", "delivered", "complained"]);

/**
 * The `status` of the answer to a send. It has two values, also when a repeat asks later: `sent` if a host accepted the
 * message for some recipient and no recipient is still queued, else `queued`. `toldSent`: the log has a `message.sent`
 * event of the message.
 */
export function answeredStatus(status: MessageStatus, toldSent: boolean): Sent["status"] {
  return status !== "queued" && (toldSent || TAKEN.has(status)) ? "sent" : "queued";
}

/** Added to the answer of a repeated send whose email is deleted. */
export const DELETED_HINT = "The email was deleted since; `status` is how it stood then";
