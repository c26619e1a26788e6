import * as z from "zod";
import { EventKind } from "./event.ts";
import { Timestamp } from "./message.ts";

/** The events that webhooks deliver. `message.sent` is only in streams and GET /v1/changes. */
export const WEBHOOK_KINDS: readonly EventKind[] = [
  "message.received",
  "message.delivered",
  "message.bounced",
  "message.complained",
];

/**
 * `failed` after ten failed deliveries in a row: nothing is delivered to the URL until it is set again. With
 * `webhook_recovery` it is `recovering` instead: the oldest undelivered event is tried after growing pauses.
 */
export const WebhookStatus = z.enum(["active", "recovering", "failed"]);
export type WebhookStatus = z.infer<typeof WebhookStatus>;

/** Events that the log no longer held when a target recovered. */
export const MissedEvents = z.object({ from_seq: z.int(), to_seq: z.int() }).meta({
  description:
    "Only after a recovery that lasted longer than the log keeps its entries: the first and last `seq` that could not be delivered any more. Setting the URL ends it.",
});
export type MissedEvents = z.infer<typeof MissedEvents>;

/** The URL of one label. */
export const WebhookRoute = z
  .object({
    label: z.string(),
    webhook_url: z.string(),
    status: WebhookStatus,
    created_at: Timestamp,
    missed: MissedEvents.optional(),
  })
  .meta({ id: "WebhookRoute" });
export type WebhookRoute = z.infer<typeof WebhookRoute>;

export const WebhookRoutes = z.object({ mailbox: z.string(), routes: z.array(WebhookRoute) });
export type WebhookRoutes = z.infer<typeof WebhookRoutes>;

export const DeletedWebhookRoute = z.object({ ok: z.literal(true), deleted: z.string() });
export type DeletedWebhookRoute = z.infer<typeof DeletedWebhookRoute>;

/** `cancelled`: the target failed or was removed before the delivery ended; it can be delivered again. */
export const DeliveryState = z.enum(["pending", "delivered", "failed", "cancelled"]);
export type DeliveryState = z.infer<typeof DeliveryState>;

/**
 * Why an attempt failed. `status`: the answer was neither 2xx nor a redirect. `not_public`: the host leads to an address
 * that is not public. `interrupted`: the service stopped in the middle of it. `no_secret`: nothing to sign with is set.
 * `internal`: an error of the service.
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

/** One request to a target, and its result. */
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

/** The delivery of one event to one target. */
export const WebhookDelivery = z
  .object({
    id: z.string(),
    event_id: z.string().meta({ description: "`webhook-id` of every attempt." }),
    seq: z.int().meta({ description: "`seq` of the event; 0 for a test event." }),
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

/** The result of a replay: the events of its range that webhooks deliver, and the deliveries made of them. */
export const WebhookReplay = z.object({
  from_seq: z.int(),
  to_seq: z.int(),
  events: z.int(),
  deliveries: z.int(),
  failed_targets: z
    .array(z.object({ label: z.string().nullable(), webhook_url: z.string(), status: WebhookStatus }))
    .optional()
    .meta({
      description:
        "Targets of these events that have failed and so get none of them; left out if there is none.",
    }),
});
export type WebhookReplay = z.infer<typeof WebhookReplay>;
