import { ExtractAnswer, ExtractRequest } from "../extraction.ts";
import { route } from "../route.ts";
import { ANYONE } from "../scope.ts";
import { json } from "./common.ts";

/** Structured data of an email. */
export const extractRoutes = {
  extract: route({
    method: "POST",
    path: "/v1/extract",
    tag: "Reading",
    summary: "Read an order, a parcel, an appointment, a receipt or a code out of an email",
    target: "mailbox",
    scopes: ANYONE,
    body: ExtractRequest,
    responses: { 200: json(ExtractAnswer) },
  }),
} as const;
