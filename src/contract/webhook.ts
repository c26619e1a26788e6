import * as z from "zod";
import { EventKind } from "./event.ts";
import { Timestamp } from "./message.ts";

/** The kinds that webhooks deliver (specification, Webhook delivery 3): the stream alone tells of `message.sent`. */
export const WEBHOOK_KINDS: readonly EventKind[] = [
  "message.received",
  "message.delivered",
  "message.bounced",
  "message.complained",
];

/** Whether deliveries to a URL are made; `failed` after ten in a row that failed, until the URL is set again. */
export const WebhookStatus = z.enum(["active", "failed"]);
export type WebhookStatus = z.infer<typeof WebhookStatus>;

/** The URL of one label. */
export const WebhookRoute = z
  .object({
    label: z.string(),
    webhook_url: z.string(),
    status: WebhookStatus,
    created_at: Timestamp,
  })
  .meta({ id: "WebhookRoute" });
export type WebhookRoute = z.infer<typeof WebhookRoute>;

export const WebhookRoutes = z.object({ mailbox: z.string(), routes: z.array(WebhookRoute) });
export type WebhookRoutes = z.infer<typeof WebhookRoutes>;

export const DeletedWebhookRoute = z.object({ ok: z.literal(true), deleted: z.string() });
export type DeletedWebhookRoute = z.infer<typeof DeletedWebhookRoute>;

/** `cancelled`: its target failed or was removed before it was over; it can be delivered again. */
export const DeliveryState = z.enum(["pending", "delivered", "failed", "cancelled"]);
export type DeliveryState = z.infer<typeof DeliveryState>;

/**
 * Why an attempt failed. `status`: the answer was neither 2xx nor a redirect. `not_public`: the host leads to an address
 * that is not public. `interrupted`: the service stopped in the middle of it. `no_secret`: nothing to sign with is set.
 * `internal`: a fault of ours.
 */
export const DeliveryError = z.enum([
  "timeout",
  "connection",
  "not_public",
  "redirect",
  "status",
  "interrupted",
  "no_secret",
  "internal",
]);
export type DeliveryError = z.infer<typeof DeliveryError>;

/** One request to a target and what came of it. */
export const DeliveryAttempt = z
  .object({
    number: z.int(),
    at: Timestamp,
    status: z.int().nullable(),
    error: DeliveryError.nullable(),
    duration_ms: z.int().nullable(),
    answer: z.string().meta({ description: "The first 500 characters of the answer." }),
  })
  .meta({ id: "DeliveryAttempt" });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

/** One event on its way to one target. */
export const WebhookDelivery = z
  .object({
    id: z.string(),
    event_id: z.string().meta({ description: "`webhook-id` of every attempt." }),
    seq: z.int().meta({ description: "Place in the log; 0 for a test event." }),
    event: EventKind,
    email_id: z.string(),
    label: z.string().nullable().meta({ description: "Null for the mailbox's own `webhook_url`." }),
    webhook_url: z.string(),
    state: DeliveryState,
    attempts: z.array(DeliveryAttempt),
    created_at: Timestamp,
    next_attempt_at: Timestamp.nullable(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveries = z
  .object({ deliveries: z.array(WebhookDelivery), next_cursor: z.string().nullable() })
  .meta({ id: "WebhookDeliveries" });
export type WebhookDeliveries = z.infer<typeof WebhookDeliveries>;

/** What a replay came to: the events in its range that webhooks deliver, and the deliveries made of them. */
export const WebhookReplay = z.object({
  from_seq: z.int(),
  to_seq: z.int(),
  events: z.int(),
  deliveries: z.int(),
});
export type WebhookReplay = z.infer<typeof WebhookReplay>;
