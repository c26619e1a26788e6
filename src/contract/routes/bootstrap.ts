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
    headers: {
      "Idempotency-Key": {
        about: "A repeat with the same key answers the same mailbox. It must be random, such as a UUID.",
        pattern: "^[A-Za-z0-9._:-]{16,128}$",
        example: "0d8f4c7e-5b1a-4c93-8f62-e7a9d3b05c14",
      },
    },
    bodyLimit: publicBody,
    body: emptyBody,
    responses: {
      201: json(Bootstrapped, "Created."),
      200: json(Bootstrapped, "Replayed for the same Idempotency-Key."),
    },
  }),
} as const;
