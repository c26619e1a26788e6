import * as z from "zod";
import { cursor, limit, mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import {
  ForwardBody,
  MAX_HELD_JSON_BYTES,
  MAX_INLINE_JSON_BYTES,
  ReplyBody,
  SEND_ERRORS,
  SendBody,
  SendQuery,
  Sent,
  SuppressionPage,
} from "../sending.ts";
import { byId, json, named, none } from "./common.ts";

const address = z.object({ address: z.string().min(1, "is required").max(320, "must be an email address") });

/** What every route has that takes a message over. */
const sends = {
  method: "POST",
  tag: "Sending",
  target: "mailbox",
  scopes: OWNERS,
  query: SendQuery,
  bodyLimit: { bytes: MAX_INLINE_JSON_BYTES, error: SEND_ERRORS.inlineTooLarge },
  inlineFiles: { heldBytes: MAX_HELD_JSON_BYTES, error: SEND_ERRORS.bodyTooLarge },
  responses: { 200: json(Sent, "Taken over; `status` tells how far it came.") },
} as const;

/** What goes out. */
export const sendingRoutes = {
  send: route({
    ...sends,
    path: "/v1/send",
    summary: "Send an email; with Idempotency-Key a repeat answers the same and sends once",
    params: none,
    body: SendBody,
  }),
  reply: route({
    ...sends,
    path: "/v1/emails/:id/reply",
    summary: "Answer an email, as POST /v1/send sends",
    params: byId,
    body: ReplyBody,
  }),
  forward: route({
    ...sends,
    path: "/v1/emails/:id/forward",
    summary: "Pass an email on with its files, as POST /v1/send sends",
    params: byId,
    body: ForwardBody,
  }),
  listSuppressions: route({
    method: "GET",
    path: "/v1/suppressions",
    tag: "Sending",
    summary: "Addresses that bounced or complained: nothing is sent to them",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: z.object({ mailbox, limit, cursor }),
    body: null,
    responses: { 200: json(SuppressionPage) },
  }),
  deleteSuppression: route({
    method: "DELETE",
    path: "/v1/suppressions/:address",
    tag: "Sending",
    summary: "Send to an address again",
    target: "mailbox",
    scopes: OWNERS,
    params: address,
    query: named,
    body: null,
    responses: { 200: json(z.object({ ok: z.literal(true), deleted: z.string() })) },
  }),
} as const;
