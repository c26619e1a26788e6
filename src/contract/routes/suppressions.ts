import * as z from "zod";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import { SuppressionPage } from "../sending.ts";
import { json, page } from "./common.ts";

const address = z.object({ address: z.string().min(1, "is required").max(320, "must be an email address") });

/** Addresses that nothing is sent to, because they bounced or complained. */
export const suppressionRoutes = {
  listSuppressions: route({
    method: "GET",
    path: "/v1/suppressions",
    tag: "Sending",
    summary: "Addresses that bounced or complained: nothing is sent to them",
    target: "mailbox",
    scopes: OWNERS,
    query: page,
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
    responses: { 200: json(z.object({ ok: z.literal(true), deleted: z.string() })) },
    calls: "forgive",
    args: ({ params }) => [params.address],
  }),
} as const;
