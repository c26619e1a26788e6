import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { Totp, TotpBody, TotpCode, TotpList } from "../totp.ts";
import { byId, deleted, json } from "./common.ts";

/** One-time passwords for a second factor (RFC 6238). */
export const totpRoutes = {
  addTotp: route({
    method: "POST",
    path: "/v1/totp",
    tag: "Sign-ups",
    summary: "Store the secret of a second factor; it is never answered again",
    target: "mailbox",
    scopes: ANYONE,
    body: TotpBody,
    responses: { 201: json(Totp, "Kept, encrypted.") },
    calls: "addTotp",
    args: ({ body }) => [body],
  }),
  listTotp: route({
    method: "GET",
    path: "/v1/totp",
    tag: "Sign-ups",
    summary: "The stored secrets, and the keys that got codes of them",
    target: "mailbox",
    scopes: ANYONE,
    responses: { 200: json(TotpList) },
    calls: "listTotp",
  }),
  totpCode: route({
    method: "GET",
    path: "/v1/totp/:id/code",
    tag: "Sign-ups",
    summary: "The current one-time password; the key that asked is recorded",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    responses: { 200: json(TotpCode) },
    calls: "totpCode",
    args: ({ params }) => [params.id],
  }),
  deleteTotp: route({
    method: "DELETE",
    path: "/v1/totp/:id",
    tag: "Sign-ups",
    summary: "Erase a secret",
    target: "mailbox",
    scopes: ANYONE,
    params: byId,
    responses: { 200: deleted },
    calls: "deleteTotp",
    args: ({ params }) => [params.id],
  }),
} as const;
