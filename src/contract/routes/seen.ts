import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { SeenChange, SeenMail } from "../seen.ts";
import { json } from "./common.ts";

/** The emails that a person has seen in the viewer. */
export const seenRoutes = {
  seen: route({
    method: "GET",
    path: "/v1/mailbox/seen",
    tag: "Mailbox",
    summary: "Which emails a person has seen in the viewer",
    target: "mailbox",
    scopes: ANYONE,
    responses: { 200: json(SeenMail) },
    calls: "seen",
  }),
  markSeen: route({
    method: "PATCH",
    path: "/v1/mailbox/seen",
    tag: "Mailbox",
    summary: "Mark emails as seen or unseen in the viewer",
    target: "mailbox",
    scopes: ANYONE,
    body: SeenChange,
    responses: { 200: json(SeenMail) },
    calls: "markSeen",
    args: ({ body }) => [body],
  }),
} as const;
