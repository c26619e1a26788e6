import { Email } from "../message.ts";
import { route } from "../route.ts";
import { MailboxRules, MAX_RULES_JSON_BYTES, RULES_JSON_SHAPE, RefusedPage, StatedRules } from "../rules.ts";
import { ANYONE } from "../scope.ts";
import { byId, deleted, emptyBody, json, page } from "./common.ts";

/** Who may write to the mailbox, and the mail that was refused. */
export const ruleRoutes = {
  getRules: route({
    method: "GET",
    path: "/v1/mailbox/rules",
    tag: "Rules",
    summary: "Who may write to the mailbox",
    target: "mailbox",
    scopes: ANYONE,
    responses: { 200: json(MailboxRules) },
    calls: "rules",
  }),
  putRules: route({
    method: "PUT",
    path: "/v1/mailbox/rules",
    tag: "Rules",
    summary: "Replace all rules: who may write to the mailbox",
    target: "mailbox",
    scopes: ANYONE,
    body: StatedRules,
    bodyLimit: {
      bytes: MAX_RULES_JSON_BYTES,
      error: `Request body too large (max ${MAX_RULES_JSON_BYTES} bytes)`,
      shape: RULES_JSON_SHAPE,
    },
    responses: { 200: json(MailboxRules) },
    calls: "putRules",
    args: ({ body }) => [body.receive],
  }),
  listRefused: route({
    method: "GET",
    path: "/v1/refused",
    tag: "Rules",
    summary: "Mail that the rules refused, newest first; kept for 7 days",
    target: "mailbox",
    scopes: ANYONE,
    query: page,
    responses: { 200: json(RefusedPage) },
    calls: "refusedPage",
    args: ({ query }) => [query],
  }),
  releaseRefused: route({
    method: "POST",
    path: "/v1/refused/:id/release",
    tag: "Rules",
    summary: "Receive a refused mail now, like any other; a repeat answers the same email",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    body: emptyBody,
    responses: { 200: json(Email) },
  }),
  deleteRefused: route({
    method: "DELETE",
    path: "/v1/refused/:id",
    tag: "Rules",
    summary: "Erase a refused mail",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    responses: { 200: deleted },
    calls: "deleteRefused",
    args: ({ params }) => [params.id],
  }),
} as const;
