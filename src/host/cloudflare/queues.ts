import * as z from "zod";
import { path, type CloudflareApi } from "./api.ts";

export interface Queue {
  id: string;
  name: string;
  /** The workers that consume it. */
  consumers: readonly { id: string | null; script: string | null; deadLetterQueue: string | null }[];
}

/** A subscription, which sends the events of a Cloudflare product to a queue. */
export interface Subscription {
  id: string;
  name: string;
  isEnabled: boolean;
  queueId: string;
  /** Such as `email.sending`. */
  sourceType: string;
  /** The sending domain; null for other sources. */
  domain: string | null;
  events: readonly string[];
}

/** The kinds of events about sent messages: all that the worker understands. */
export const SENDING_EVENTS = [
  "message.delivered",
  "message.deferred",
  "message.bounced",
  "message.failed",
  "message.rejected",
  "message.complained",
] as const;

const QUEUE = z.object({
  queue_id: z.string(),
  queue_name: z.string(),
  consumers: z
    .array(
      z.object({
        consumer_id: z.string().optional(),
        script: z.string().optional(),
        script_name: z.string().optional(),
        dead_letter_queue: z.string().nullish(),
      }),
    )
    .nullish(),
});
const NO_ANSWER = z.unknown();
const SUBSCRIPTION = z.object({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  source: z.object({ type: z.string().optional(), domain: z.string().optional() }),
  destination: z.object({ queue_id: z.string() }),
  events: z.array(z.string()),
});

/** The queues of an account. */
export async function listQueues(api: CloudflareApi, accountId: string): Promise<Queue[]> {
  const queues = await api.list({
    what: "list the queues",
    method: "GET",
    path: path`/accounts/${accountId}/queues`,
    permission: "Queues: Edit",
    entry: QUEUE,
  });
  return queues.map(({ queue_id: id, queue_name: name, consumers }) => ({
    id,
    name,
    consumers: (consumers ?? []).map((consumer) => ({
      id: consumer.consumer_id ?? null,
      script: consumer.script ?? consumer.script_name ?? null,
      deadLetterQueue: consumer.dead_letter_queue ?? null,
    })),
  }));
}

/** Makes a queue. */
export async function createQueue(api: CloudflareApi, accountId: string, name: string): Promise<void> {
  await api.call({
    what: `make the queue ${name}`,
    method: "POST",
    path: path`/accounts/${accountId}/queues`,
    body: { queue_name: name },
    permission: "Queues: Edit",
    answer: NO_ANSWER,
  });
}

/** Removes a consumer from a queue. */
export async function deleteConsumer(
  api: CloudflareApi,
  accountId: string,
  { queueId, id }: { queueId: string; id: string },
): Promise<void> {
  await api.find({
    what: "take the worker from the queue",
    method: "DELETE",
    path: path`/accounts/${accountId}/queues/${queueId}/consumers/${id}`,
    permission: "Queues: Edit",
    answer: NO_ANSWER,
  });
}

/** Deletes a queue with its messages. */
export async function deleteQueue(api: CloudflareApi, accountId: string, id: string): Promise<void> {
  await api.find({
    what: "delete a queue",
    method: "DELETE",
    path: path`/accounts/${accountId}/queues/${id}`,
    permission: "Queues: Edit",
    answer: NO_ANSWER,
  });
}

/** The subscriptions of an account. */
export async function listSubscriptions(api: CloudflareApi, accountId: string): Promise<Subscription[]> {
  const subscriptions = await api.list({
    what: "list the event subscriptions",
    method: "GET",
    path: path`/accounts/${accountId}/event_subscriptions/subscriptions`,
    permission: "Queues: Edit",
    entry: SUBSCRIPTION,
  });
  return subscriptions.map(({ id, name, enabled, source, destination, events }) => ({
    id,
    name,
    isEnabled: enabled,
    queueId: destination.queue_id,
    sourceType: source.type ?? "",
    domain: source.domain ?? null,
    events,
  }));
}

/** Subscribes a queue to the events of a sending domain. */
export async function subscribe(
  api: CloudflareApi,
  accountId: string,
  { name, queueId, zoneId, domain }: { name: string; queueId: string; zoneId: string; domain: string },
): Promise<void> {
  await api.call({
    what: "subscribe to the events of sending",
    method: "POST",
    path: path`/accounts/${accountId}/event_subscriptions/subscriptions`,
    body: {
      name,
      enabled: true,
      source: { type: "email.sending", zone_id: zoneId, domain },
      destination: { type: "queues.queue", queue_id: queueId },
      events: SENDING_EVENTS,
    },
    permission: "Queues: Edit",
    answer: NO_ANSWER,
  });
}

/** Ends a subscription. */
export async function unsubscribe(api: CloudflareApi, accountId: string, id: string): Promise<void> {
  await api.find({
    what: "end an event subscription",
    method: "DELETE",
    path: path`/accounts/${accountId}/event_subscriptions/subscriptions/${id}`,
    permission: "Queues: Edit",
    answer: NO_ANSWER,
  });
}
