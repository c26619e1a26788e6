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
} from "../sending.ts";
import { byId, json } from "./common.ts";

/** The common part of all routes that send a message. */
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

/** Messages that are sent. */
export const sendingRoutes = {
  send: route({
    ...sends,
    path: "/v1/send",
    summary: "Send an email; a repeat with the same Idempotency-Key answers the same and sends nothing",
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
} as const;
