import * as z from "zod";
import { Bootstrapped, KeyList, Me, NewKey } from "../mailbox.ts";
import { route } from "../route.ts";
import { ANYONE, OWNERS } from "../scope.ts";
import { byId, deleted, emptyBody, json, named, none, publicBody } from "./common.ts";

const KeyBody = z.strictObject({
  expires_at: z.iso
    .datetime({ offset: true, error: "must be an ISO 8601 time with an offset or Z" })
    .nullish()
    .meta({
      description: "When the key ends; without it, when it is revoked.",
    }),
});

/** Who asks, and with which keys. */
export const keyRoutes = {
  me: route({
    method: "GET",
    path: "/v1/me",
    tag: "Keys",
    summary: "Who am I",
    target: "caller",
    scopes: ANYONE,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(Me) },
  }),
  bootstrap: route({
    method: "POST",
    path: "/v1/bootstrap",
    tag: "Keys",
    summary: "Get a temporary mailbox without a credential",
    target: "public",
    scopes: [],
    params: none,
    query: none,
    bodyLimit: publicBody,
    body: emptyBody,
    responses: {
      201: json(Bootstrapped, "Created."),
      200: json(Bootstrapped, "Replayed for the same Idempotency-Key."),
    },
  }),
  listKeys: route({
    method: "GET",
    path: "/v1/keys",
    tag: "Keys",
    summary: "Keys of the mailbox, without their secrets",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: null,
    responses: { 200: json(KeyList) },
  }),
  createKey: route({
    method: "POST",
    path: "/v1/keys",
    tag: "Keys",
    summary: "Make a key; its secret is shown once",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: named,
    body: KeyBody,
    responses: { 201: json(NewKey, "Created.") },
  }),
  revokeKey: route({
    method: "DELETE",
    path: "/v1/keys/:id",
    tag: "Keys",
    summary: "Revoke a key at once",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    query: named,
    body: null,
    responses: { 200: deleted },
  }),
} as const;
