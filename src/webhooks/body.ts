import type { LoggedData } from "../contract/event.ts";

/** The `webhook-id` and `event_id` of an entry of the log: the same at every attempt, redelivery and replay. */
export function eventId(locator: string, seq: number): string {
  return `evt_${locator}_${seq}`;
}

/**
 * The body of a delivery (docs/events.md#the-request): twelve members, then `event_id` and `seq`; events about sent mail
 * add `recipient`, `status` and `diagnostic`. It depends on the log entry alone, so that every attempt sends the same
 * bytes.
 */
export function webhookBody(data: LoggedData, event: { id: string; seq: number }): string {
  const { recipient, status, diagnostic } = data;
  return JSON.stringify({
    ...twelveFields(data),
    event_id: event.id,
    seq: event.seq,
    ...(recipient === undefined ? {} : { recipient, status, diagnostic: diagnostic ?? null }),
  });
}

/** The data of a test event. */
export interface TestEvent {
  /** Its `webhook-id`; each test event has its own. */
  id: string;
  mailbox: string;
  /** Takes the place of an email's id: a test event has no email. */
  emailId: string;
  labels: readonly string[];
  /** ISO 8601. */
  at: string;
}

/** The body of a test event: a `message.received` without an email, with `"test": true`. */
export function testBody({ id, mailbox, emailId, labels, at }: TestEvent): string {
  const data: LoggedData = {
    event: "message.received",
    email_id: emailId,
    mailbox,
    from: mailbox,
    subject: "Webhook test",
    received_at: at,
    message_id: `<${emailId}@${mailbox.slice(mailbox.lastIndexOf("@") + 1)}>`,
    thread_id: emailId,
    labels: [...labels],
    has_attachments: false,
    attachment_count: 0,
  };
  return JSON.stringify({ ...twelveFields(data), event_id: id, seq: 0, test: true });
}

/** In the order of docs/events.md#the-request. */
function twelveFields(data: LoggedData) {
  const { event, email_id, mailbox, from, subject, received_at } = data;
  const { message_id, thread_id, labels, has_attachments, attachment_count } = data;
  const about = { event, email_id, mailbox, from, subject, received_at };
  const { sender_verified = false } = data;
  return { ...about, message_id, thread_id, labels, has_attachments, attachment_count, sender_verified };
}
