import * as z from "zod";
import { KeyList, Me, NewKey } from "../mailbox.ts";
import { route } from "../route.ts";
import { ANYONE, OWNERS } from "../scope.ts";
import { byId, deleted, json } from "./common.ts";

const KeyBody = z.strictObject({
  expires_at: z.iso
    .datetime({ offset: true, error: "must be an ISO 8601 time with an offset or Z" })
    .nullish()
    .meta({
      description: "When the key ends; without it, when it is revoked.",
      examples: ["2099-12-31T00:00:00Z"],
    }),
});

/** Who the caller is, and the keys of a mailbox. */
export const keyRoutes = {
  me: route({
    method: "GET",
    path: "/v1/me",
    tag: "Keys",
    summary: "Who am I",
    target: "caller",
    scopes: ANYONE,
    responses: { 200: json(Me) },
  }),
  listKeys: route({
    method: "GET",
    path: "/v1/keys",
    tag: "Keys",
    summary: "Keys of the mailbox, without their secrets",
    target: "mailbox",
    scopes: OWNERS,
    responses: { 200: json(KeyList) },
    calls: "keys",
  }),
  createKey: route({
    method: "POST",
    path: "/v1/keys",
    tag: "Keys",
    summary: "Make a key; its secret is shown once",
    target: "mailbox",
    scopes: OWNERS,
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
    responses: { 200: deleted },
    calls: "revokeKey",
    args: ({ params }) => [params.id],
  }),
} as const;
