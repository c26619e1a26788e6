import { Bootstrapped } from "../mailbox.ts";
import { none } from "../parameters.ts";
import { route } from "../route.ts";
import { emptyBody, json, publicBody } from "./common.ts";

/** A temporary mailbox without a credential. */
export const bootstrapRoutes = {
  bootstrap: route({
    method: "POST",
    path: "/v1/bootstrap",
    tag: "Keys",
    summary: "Get a temporary mailbox without a credential",
    target: "public",
    scopes: [],
    query: none,
    bodyLimit: publicBody,
    body: emptyBody,
    responses: {
      201: json(Bootstrapped, "Created."),
      200: json(Bootstrapped, "Replayed for the same Idempotency-Key."),
    },
  }),
} as const;
