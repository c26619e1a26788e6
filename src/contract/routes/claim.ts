import * as z from "zod";
import { DecidedClaim, PolledClaim, StartedClaim } from "../claim.ts";
import { route } from "../route.ts";
import { json, none, publicBody } from "./common.ts";

/** Longer ones are nobody's, and are told as such. */
const MAX_TEXT_CHARS = 320;
const text = z
  .string()
  .min(1, "is required")
  .max(MAX_TEXT_CHARS, `must be at most ${MAX_TEXT_CHARS} characters`);

/** How a person gives a key: no credential, as in an OAuth device flow (RFC 8628). */
export const claimRoutes = {
  claimStart: route({
    method: "POST",
    path: "/v1/claim/start",
    tag: "Claim",
    summary: "Ask for a permanent mailbox, which a person approves",
    target: "public",
    scopes: [],
    params: none,
    query: none,
    bodyLimit: publicBody,
    body: z.strictObject({
      name: z.string().meta({ description: "The address before the @." }),
      keep_mail: z.boolean().default(false).meta({
        description: "Copy the mail of the temporary mailbox whose key is in `Authorization`.",
      }),
    }),
    responses: { 201: json(StartedClaim, "Started: show the person where to approve it, then poll.") },
  }),
  claimPoll: route({
    method: "GET",
    path: "/v1/claim/poll",
    tag: "Claim",
    summary: "What became of a claim, and its key once it is approved",
    target: "public",
    scopes: [],
    params: none,
    query: z.object({ session: text.meta({ description: "`session_id` of the claim." }) }),
    body: null,
    responses: {
      200: json(PolledClaim),
      429: json(PolledClaim, "Asked again within `interval`: `pending`, with the error `slow_down`."),
    },
  }),
  claimConfirm: route({
    method: "POST",
    path: "/v1/claim/confirm",
    tag: "Claim",
    summary: "Approve or deny a claim: what the page does",
    target: "public",
    scopes: [],
    params: none,
    query: none,
    bodyLimit: publicBody,
    body: z.strictObject({
      device_code: text,
      session_id: text.optional(),
      proof: text
        .optional()
        .meta({ description: "`proof` of the link: with it no wrong codes of others stand in the way." }),
      decision: z.enum(["approve", "deny"]).default("approve"),
      turnstile_token: z
        .string()
        .max(2_048)
        .optional()
        .meta({ description: "Where the deployment asks for it." }),
    }),
    responses: { 200: json(DecidedClaim) },
  }),
} as const;
