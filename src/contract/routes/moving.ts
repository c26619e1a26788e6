import * as z from "zod";
import { ImportProgress, IMPORT_FORMATS, SigningKeys, StartedImport } from "../moving.ts";
import { integer, label, mailbox, none, text } from "../parameters.ts";
import { route } from "../route.ts";
import { OWNERS } from "../scope.ts";
import { byId, deleted, json } from "./common.ts";

const ExportQuery = z.object({
  mailbox,
  after: text(
    "Only emails after this one: the id of the last one that an earlier export brought whole.",
    64,
  ).meta({
    example: "019aa6e2-7c31-7d05-9f2e-6b1c0a4d5e6f",
  }),
  resume: text(
    "Go on with an export that was cut off: the header Mailkeep-Resume of its answer. Needs sha256 too.",
    512,
  ),
  offset: integer({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    about: "With resume: how many bytes of the export have arrived.",
  }),
  sha256: text("With resume: the SHA-256 of these bytes, in hex.", 64),
});

const ImportQuery = z.object({
  mailbox,
  format: z.enum(IMPORT_FORMATS).optional().meta({
    example: "tar",
    description: "Without it, the beginning of the archive tells. Each may be packed with gzip.",
  }),
  label: label.optional().meta({ description: "A label for every imported email." }),
});

const ARCHIVE = "The bytes of the archive.";

/** Export and import of the mail of a mailbox. */
export const movingRoutes = {
  exportMailbox: route({
    method: "GET",
    path: "/v1/export",
    tag: "Moving",
    summary: "Everything of a mailbox as a signed tar: Maildir, mailbox.jsonl, checksums",
    target: "mailbox",
    scopes: OWNERS,
    query: ExportQuery,
    responses: { 200: { media: "application/x-tar", about: "The archive.", example: ARCHIVE } },
  }),
  importMail: route({
    method: "POST",
    path: "/v1/import",
    tag: "Moving",
    summary: "Import mail from an archive: an export, a tar of Maildir or .eml files, an mbox, one email",
    target: "mailbox",
    scopes: OWNERS,
    query: ImportQuery,
    rawBody: { media: "*/*", example: ARCHIVE },
    responses: { 202: json(StartedImport, "Taken; its mail appears bit by bit.") },
  }),
  importProgress: route({
    method: "GET",
    path: "/v1/import/:id",
    tag: "Moving",
    summary: "How far an import is; kept for 30 days",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    responses: { 200: json(ImportProgress) },
    calls: "importProgress",
    args: ({ params }) => [params.id],
  }),
  cancelImport: route({
    method: "DELETE",
    path: "/v1/import/:id",
    tag: "Moving",
    summary: "Cancel an import and erase its archive; what it stored stays",
    target: "mailbox",
    scopes: OWNERS,
    params: byId,
    responses: { 200: deleted },
    calls: "cancelImport",
    args: ({ params }) => [params.id],
  }),
  signingKeys: route({
    method: "GET",
    path: "/.well-known/mailkeep-keys.json",
    tag: "Moving",
    summary: "The public keys that exports are signed with, as a JWK set",
    target: "public",
    scopes: [],
    query: none,
    responses: { 200: json(SigningKeys) },
  }),
} as const;
