import type { LoggedData } from "../contract/event.ts";

/** `webhook-id` and `event_id` of an entry of the log: the same at every attempt, redelivery and replay. */
export function eventId(locator: string, seq: number): string {
  return `evt_${locator}_${seq}`;
}

/**
 * The body of a delivery: the specification's eleven fields, flat, then `event_id` and `seq`, and what delivery events add
 * (wire contract, part 3). It follows from the log alone, so that every attempt sends the same bytes.
 */
export function webhookBody(data: LoggedData, event: { id: string; seq: number }): string {
  const { recipient, status, diagnostic } = data;
  return JSON.stringify({
    ...elevenFields(data),
    event_id: event.id,
    seq: event.seq,
    ...(recipient === undefined ? {} : { recipient, status, diagnostic: diagnostic ?? null }),
  });
}

/** What a test event is made of. */
export interface TestEvent {
  /** `webhook-id`; each test event has one of its own. */
  id: string;
  mailbox: string;
  /** Stands for the email that there is not. */
  emailId: string;
  labels: readonly string[];
  /** ISO 8601. */
  at: string;
}

/** The body of a test event: a `message.received` of no email, with `"test": true` (wire contract, part 5). */
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
  return JSON.stringify({ ...elevenFields(data), event_id: id, seq: 0, test: true });
}

/** In the specification's order. */
function elevenFields(data: LoggedData) {
  const { event, email_id, mailbox, from, subject, received_at } = data;
  const { message_id, thread_id, labels, has_attachments, attachment_count } = data;
  const about = { event, email_id, mailbox, from, subject, received_at };
  return { ...about, message_id, thread_id, labels, has_attachments, attachment_count };
}
