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
  UPLOAD_FIRST,
} from "../sending.ts";
import { byId, json } from "./common.ts";

/** The header field that makes a send repeatable; `example` is a key of the caller's own. */
const idempotent = (example: string) => ({
  "Idempotency-Key": {
    about: "A repeat with the same key within 24 hours answers the same and sends nothing.",
    pattern: "^[\\x21-\\x7e]{1,255}$",
    example,
  },
});

/** The common part of all routes that send a message. */
const sends = {
  method: "POST",
  tag: "Sending",
  target: "mailbox",
  scopes: OWNERS,
  query: SendQuery,
  bodyLimit: { bytes: MAX_INLINE_JSON_BYTES, error: SEND_ERRORS.inlineTooLarge, fix: UPLOAD_FIRST },
  inlineFiles: { heldBytes: MAX_HELD_JSON_BYTES, error: SEND_ERRORS.bodyTooLarge },
  responses: { 200: json(Sent, "Taken over; `status` tells how far it came.") },
} as const;

/** Messages that are sent. */
export const sendingRoutes = {
  send: route({
    ...sends,
    path: "/v1/send",
    headers: idempotent("order-4711-question"),
    summary: "Send an email; a repeat with the same Idempotency-Key answers the same and sends nothing",
    body: SendBody,
  }),
  reply: route({
    ...sends,
    path: "/v1/emails/:id/reply",
    headers: idempotent("order-4711-answer"),
    summary: "Answer an email, as POST /v1/send sends",
    params: byId,
    body: ReplyBody,
  }),
  forward: route({
    ...sends,
    path: "/v1/emails/:id/forward",
    headers: idempotent("order-4711-forward"),
    summary: "Pass an email on with its files, as POST /v1/send sends",
    params: byId,
    body: ForwardBody,
  }),
} as const;
