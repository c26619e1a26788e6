import * as z from "zod";
import { mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import { Upload } from "../upload.ts";
import { json, none } from "./common.ts";

const UploadQuery = z.object({
  mailbox,
  filename: z
    .string()
    .optional()
    .meta({ description: "Name of the file, unless Content-Disposition says it: at most 200 characters." }),
});

/** Files on their way into a message. */
export const uploadRoutes = {
  upload: route({
    method: "POST",
    path: "/v1/attachments",
    tag: "Sending",
    summary: "Upload a file of at most 100 MB to be sent; erased after 24 hours unless a message uses it",
    target: "mailbox",
    scopes: OWNERS,
    params: none,
    query: UploadQuery,
    body: null,
    rawBody: "*/*",
    responses: { 201: json(Upload, "Stored.") },
  }),
} as const;
