import * as z from "zod";
import { Expectation, ExpectationBody } from "../expectation.ts";
import { integer, mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { byId, json } from "./common.ts";

/** The most seconds that a call waits for an expected mail. */
const MAX_WAIT_SECONDS = 55;

/** Codes and links for a sign-up, released from mail of one proven domain only. */
export const expectationRoutes = {
  createExpectation: route({
    method: "POST",
    path: "/v1/expect",
    tag: "Sign-ups",
    summary: "Expect a code from a domain, before you ask for the code",
    target: "mailbox",
    scopes: ANYONE,
    body: ExpectationBody,
    responses: { 201: json(Expectation, "Mail that comes from now on counts.") },
    calls: "createExpectation",
    args: ({ body }) => [body],
  }),
  expectation: route({
    method: "GET",
    path: "/v1/expect/:id",
    tag: "Sign-ups",
    summary: "The expected code or link, once its mail has come",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    query: z.object({
      mailbox,
      wait: integer({
        min: 0,
        max: MAX_WAIT_SECONDS,
        fallback: 0,
        about: "Seconds to wait until the mail comes or the expectation expires; clamped to 55.",
      }),
    }),
    responses: { 200: json(Expectation, "The expectation; `status` says whether the mail has come.") },
  }),
  cancelExpectation: route({
    method: "DELETE",
    path: "/v1/expect/:id",
    tag: "Sign-ups",
    summary: "Cancel an expectation: no code of it is released any more",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    responses: { 200: json(Expectation, "`cancelled`, unless its mail came or its time was over before.") },
    calls: "cancelExpectation",
    args: ({ params }) => [params.id],
  }),
} as const;
