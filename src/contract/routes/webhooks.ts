import * as z from "zod";
import { cursor, label, limit, mailbox, text } from "../parameters.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import {
  DeletedWebhookRoute,
  DeliveryState,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookReplay,
  WebhookRoute,
  WebhookRoutes,
} from "../webhook.ts";
import { byId, emptyBody, json, named, none } from "./common.ts";

const seq = z.int("must be a whole number").min(1, "must be at least 1");

/** Where webhooks go besides the mailbox's own URL, what became of them, and sending them again. */
export const webhookRoutes = {
  webhookRoutes: route({
    method: "GET",
    path: "/v1/mailbox/routes",
    tag: "Webhooks",
    summary: "URLs of single labels",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(WebhookRoutes) },
  }),
  setWebhookRoute: route({
    method: "PUT",
    path: "/v1/mailbox/routes",
    tag: "Webhooks",
    summary: "Send events of emails with a label to a URL as well",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: z.strictObject({ label, webhook_url: z.string() }),
    responses: { 200: json(WebhookRoute) },
  }),
  deleteWebhookRoute: route({
    method: "DELETE",
    path: "/v1/mailbox/routes",
    tag: "Webhooks",
    summary: "Remove the URL of a label",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: z.object({ mailbox, label }),
    body: null,
    responses: { 200: json(DeletedWebhookRoute) },
  }),
  webhookDeliveries: route({
    method: "GET",
    path: "/v1/webhook/deliveries",
    tag: "Webhooks",
    summary: "Log of deliveries, newest first",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: z.object({
      mailbox,
      limit,
      cursor,
      state: z
        .union([DeliveryState, z.literal("")])
        .optional()
        .transform((state) => (state ? state : null)),
      label: text("Only those to the URL of this label."),
    }),
    body: null,
    responses: { 200: json(WebhookDeliveries) },
  }),
  redeliverWebhook: route({
    method: "POST",
    path: "/v1/webhook/deliveries/:id/redeliver",
    tag: "Webhooks",
    summary: "Deliver an event once more to the same target",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: emptyBody,
    responses: { 202: json(WebhookDelivery, "The new delivery.") },
  }),
  replayWebhooks: route({
    method: "POST",
    path: "/v1/webhook/replay",
    tag: "Webhooks",
    summary: "Deliver a range of the log once more",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: z.strictObject({
      from_seq: seq,
      to_seq: seq.optional().meta({ description: "The newest entry unless given." }),
    }),
    responses: { 202: json(WebhookReplay, "The deliveries wait for their turn.") },
  }),
  testWebhook: route({
    method: "POST",
    path: "/v1/webhook/test",
    tag: "Webhooks",
    summary: "Send a test event; it never changes the state of the target",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: z.strictObject({
      label: label.optional().meta({ description: "To the URL of this label, not the mailbox's own." }),
    }),
    responses: { 202: json(WebhookDelivery, "The delivery.") },
  }),
} as const;
