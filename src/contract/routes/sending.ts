import { z } from "zod";
import { cursor, limit, mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import {
  MAX_INLINE_JSON_BYTES,
  SEND_ERRORS,
  SendBody,
  SendQuery,
  Sent,
  SuppressionPage,
} from "../sending.ts";
import { json, named, none } from "./common.ts";

const address = z.object({ address: z.string().min(1, "is required").max(320, "must be an email address") });

/** What goes out. */
export const sendingRoutes = {
  send: route({
    method: "POST",
    path: "/v1/send",
    tag: "Sending",
    summary: "Send an email; with Idempotency-Key a repeat answers the same and sends once",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: SendQuery,
    body: SendBody,
    bodyLimit: { bytes: MAX_INLINE_JSON_BYTES, error: SEND_ERRORS.inlineTooLarge },
    responses: { 200: json(Sent, "Taken over; `status` tells how far it came.") },
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
