import * as z from "zod";
import { Timestamp } from "./message.ts";

/** The names of events. */
export const EVENT_KINDS = [
  "message.received",
  "message.sent",
  "message.delivered",
  "message.bounced",
  "message.complained",
] as const;
export const EventKind = z.enum(EVENT_KINDS);
export type EventKind = z.infer<typeof EventKind>;

/** `data` of a stream's frame and of a change: exactly these nine fields. */
export const EventData = z
  .strictObject({
    event: EventKind,
    email_id: z.string(),
    mailbox: z.string(),
    from: z.string(),
    subject: z.string(),
    received_at: Timestamp,
    thread_id: z.string(),
    labels: z.array(z.string()),
    has_attachments: z.boolean(),
  })
  .meta({ id: "EventData" });
export type EventData = z.infer<typeof EventData>;

/** An event as the log stores it: the twelve fields of a webhook's body, and those that delivery events add. */
export interface LoggedData extends EventData {
  /** In angle brackets; "" if the message has none. */
  message_id: string;
  attachment_count: number;
  /** Left out by releases that did not judge senders. */
  sender_verified?: boolean;
  recipient?: string;
  status?: string;
  diagnostic?: string | null;
}

/** The nine fields of an event. */
export function eventData(logged: LoggedData): EventData {
  const { event, email_id, mailbox, from, subject, received_at, thread_id, labels, has_attachments } = logged;
  return { event, email_id, mailbox, from, subject, received_at, thread_id, labels, has_attachments };
}

/** An entry of the log as `GET /v1/changes` shows it. */
export const Change = z
  .object({
    seq: z.int(),
    prev_seq: z.int().meta({
      description: "`seq` of the event before it, filters included; `after` for the first event of a page.",
    }),
    event: EventKind,
    at: Timestamp,
    data: EventData,
    webhook_body: z.string().nullable().optional().meta({
      description:
        "With `webhook_body=true`: the text that a webhook sends of this event, byte for byte; null for a kind that webhooks do not deliver.",
    }),
  })
  .meta({ id: "Change" });
export type Change = z.infer<typeof Change>;

export const ChangePage = z.object({
  events: z.array(Change),
  last_seq: z.int().meta({ description: "`seq` of the newest event; 0 while there is none." }),
  oldest_seq: z.int().meta({
    description:
      "`seq` of the oldest event that is kept; `last_seq` + 1 if none is kept; 0 before the first.",
  }),
});
export type ChangePage = z.infer<typeof ChangePage>;
