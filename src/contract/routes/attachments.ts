import * as z from "zod";
import { mailbox } from "../parameters.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import { Upload } from "../upload.ts";
import { byId, idInQuery, json } from "./common.ts";

const UploadQuery = z.object({
  mailbox,
  filename: z
    .string()
    .optional()
    .meta({ description: "Name of the file, unless Content-Disposition says it: at most 200 characters." }),
});

const FILE = "The bytes of the file.";

/** Files: those of emails, and uploads that wait for the message that sends them. */
export const attachmentRoutes = {
  upload: route({
    method: "POST",
    path: "/v1/attachments",
    tag: "Sending",
    summary: "Upload a file of at most 100 MB to be sent; erased after 24 hours unless a message uses it",
    target: "mailbox",
    scopes: OWNERS,
    query: UploadQuery,
    rawBody: { media: "*/*", example: FILE },
    responses: { 201: json(Upload, "Stored.") },
  }),
  attachmentByQuery: route({
    method: "GET",
    path: "/v1/attachment",
    tag: "Reading",
    summary: "The bytes of an attachment",
    target: "mailbox",
    scopes: OWNERS,
    query: idInQuery,
    responses: {
      200: { media: "application/octet-stream", about: "The bytes.", example: FILE },
      206: { media: "application/octet-stream", about: "The range asked for.", example: FILE.slice(0, 8) },
    },
  }),
  attachment: route({
    method: "GET",
    path: "/v1/attachments/:id",
    tag: "Reading",
    summary: "The bytes of an attachment",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    responses: {
      200: { media: "application/octet-stream", about: "The bytes.", example: FILE },
      206: { media: "application/octet-stream", about: "The range asked for.", example: FILE.slice(0, 8) },
    },
  }),
} as const;
