import * as z from "zod";
import { ChangePage, EVENT_KINDS, EventKind } from "../event.ts";
import { flag, instant, integer, limit, mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { json } from "./common.ts";

/** The most seconds that a stream stays open, and that a call waits for an event. */
export const MAX_HOLD_SECONDS = 25;

/** The most entries of `types`, repeats included. */
const MAX_KINDS = 20;
const NO_KIND = `must be some of ${EVENT_KINDS.join(", ")}, separated by commas`;

/** Kinds separated by commas; null = all. */
const types = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || text === "") return null;
    const named = text.split(",", MAX_KINDS + 1);
    const kinds = z.array(EventKind).safeParse(named.map((kind) => kind.trim()));
    if (kinds.success && named.length <= MAX_KINDS) return kinds.data;
    context.addIssue({
      code: "custom",
      message: named.length > MAX_KINDS ? `must name at most ${MAX_KINDS} kinds` : NO_KIND,
    });
    return z.NEVER;
  })
  .meta({ type: "string", description: "Only these kinds, separated by commas." });

export const EventsQuery = z.object({
  mailbox,
  types,
  since: instant("Replays what happened at this time or later. `Last-Event-ID` beats it."),
});
export type EventFilters = z.output<typeof EventsQuery>;

export const ChangesQuery = z.object({
  mailbox,
  types,
  limit,
  after: integer({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    about: "The last `seq` that the caller knows.",
  }),
  wait: integer({
    min: 0,
    max: MAX_HOLD_SECONDS,
    fallback: 0,
    about: "Seconds to wait where nothing happened yet; clamped to 25.",
  }),
  webhook_body: flag("Adds the body of each event's webhook, for a program that stands in for webhooks."),
});
export type ChangeFilters = z.output<typeof ChangesQuery>;

/** The events of a mailbox. */
export const eventRoutes = {
  events: route({
    method: "GET",
    path: "/v1/events",
    tag: "Events",
    summary: "What happens, live: Server-Sent Events for 25 s; reconnect with Last-Event-ID to go on",
    target: "mailbox",
    scopes: ANYONE,
    query: EventsQuery,
    headers: {
      "Last-Event-ID": {
        about: "The `id` of the last event that the client has: the stream goes on after it.",
        pattern: "^[0-9]+$",
        example: "0",
      },
    },
    responses: {
      200: {
        media: "text/event-stream",
        about: "Frames of `id`, `event` and `data` (EventData).",
        example:
          'id: 7\nevent: message.received\ndata: {"event":"message.received","email_id":"019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f"}\n\n',
      },
    },
  }),
  changes: route({
    method: "GET",
    path: "/v1/changes",
    tag: "Events",
    summary: "What happened after an entry of the log, oldest first; 410 if that is no longer kept",
    target: "mailbox",
    scopes: ANYONE,
    query: ChangesQuery,
    responses: { 200: json(ChangePage) },
  }),
} as const;
